package product_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/product"
	"bestpick/internal/testsupport"
)

func TestReadProfiles(t *testing.T) {
	want := &product.Profiles{
		Source: "cameras.yaml",
		Attributes: []product.Attribute{
			{Name: "price", Kind: catalogue.Number, Levels: []string{"10", "12", "15"}},
			{Name: "brand", Kind: catalogue.Category, Levels: []string{"acme", "zenith", "no name"}},
			{Name: "wifi", Kind: catalogue.Boolean, Levels: []string{"yes", "no"}},
		},
		Forbidden: []product.Combination{{
			{Attribute: "brand", Levels: []string{"acme"}},
			{Attribute: "price", Levels: []string{"10", "12"}},
		}},
	}
	for name, text := range map[string]string{
		"plain":            cataloguetest.Cameras,
		"under attributes": "attributes:\n  price: [10, 12, 15]\n  brand: [acme, zenith, no name]\n  wifi: [yes, no]\nforbidden: [{brand: acme, price: [10, 12]}]",
		"blocks":           "price:\n  - 10\n  - 12\n  - 15\nbrand:\n- acme\n- zenith\n- no name\nwifi: ['yes', 'no']\nforbidden:\n- brand: acme\n  price:\n  - 10\n  - 12\n",
		"aliases":          "price: &p [10, &t 12, 15]\nbrand: &b [acme, zenith, no name]\nwifi: [yes, no]\nforbidden: &f [{brand: acme, price: [10, *t]}]",
		"JSON":             `{"price": [10, 12, 15], "brand": ["acme", "zenith", "no name"], "wifi": ["yes", "no"], "forbidden": [{"brand": "acme", "price": [10, 12]}]}`,
	} {
		if difference := cmp.Diff(want, cataloguetest.ReadProfiles(t, text)); difference != "" {
			t.Errorf("%s: %s", name, difference)
		}
	}
	p, err := product.Read(strings.NewReader(cataloguetest.Cameras), "cameras.yaml",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"price": catalogue.Category}})
	if err != nil || p.Attributes[0].Kind != catalogue.Category {
		t.Errorf("%v, %v", p, err)
	}
}

// manyAttributes returns attributes with one level each.
func manyAttributes(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "a%d: [x]\n", i)
	}
	return text.String()
}

func TestAsManyAttributesAsCanBe(t *testing.T) {
	p := cataloguetest.ReadProfiles(t, manyAttributes(1000))
	p.Attributes[999].Levels = []string{"x", "y"}
	if _, c := cataloguetest.EncodeProfiles(t, p); c.Len() != 2 {
		t.Errorf("%d profiles", c.Len())
	}
	space := strings.Repeat(" ", 1<<20-len("a: [x,y]"))
	if p := cataloguetest.ReadProfiles(t, "a: [x,"+space+"y]"); len(p.Attributes) != 1 {
		t.Errorf("%d attributes", len(p.Attributes))
	}
}

func TestProfilesThatAreWrong(t *testing.T) {
	var many strings.Builder
	many.WriteString("a: [x, y]\nb: [")
	for i := range 1001 {
		fmt.Fprintf(&many, "l%d,", i)
	}
	many.WriteString("]")
	for _, c := range []struct{ text, says string }{
		{"", "cameras.yaml: the file is empty"},
		{"- a\n- b", "cameras.yaml:1: attributes with levels are expected, such as price: [10, 12, 15]"},
		{"price: 10", `cameras.yaml:1: attribute "price": a list of levels is expected, such as [10, 12, 15]`},
		{"price: [10, 10]", `cameras.yaml:1: attribute "price": the level "10" is there twice`},
		{"price: [10, [1]]", `cameras.yaml:1: attribute "price": a level is a text or a number`},
		{"price: [10, ]\nbrand: [a, '']", `cameras.yaml:2: attribute "brand": a level is missing`},
		{"a: [x, y]\na: [z, w]", `cameras.yaml:2: attribute "a": it is there twice`},
		{"attributes: {a: [x, y]}\nb: [z]", `cameras.yaml:2: "b" stands beside the attributes; there are attributes and forbidden`},
		{"a: [x, y]\nforbidden: x", `cameras.yaml:2: forbidden: a list of combinations is expected, such as - {brand: acme, price: 15}`},
		{
			"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x}",
			`cameras.yaml:4: forbidden: a combination has two attributes at least, such as {brand: acme, price: 15}`,
		},
		{"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x, c: z}", `cameras.yaml:4: there is no attribute "c"`},
		{"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x, b: q}", `cameras.yaml:4: attribute "b": "q" is not one of its levels`},
		{
			"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x, a: y}",
			`cameras.yaml:4: attribute "a": it is in the combination twice; several levels are a list, such as [10, 12]`,
		},
		{"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x, b: []}", `cameras.yaml:4: attribute "b": the combination has no level of it`},
		{"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x, b: {z: w}}", `cameras.yaml:4: attribute "b": a level is a text or a number`},
		{"a: [x, y]\nb: [z, w]\nforbidden: [{a: x, b: z}]\nforbidden: [{a: y, b: w}]", "cameras.yaml:4: forbidden is there twice"},
		{"attributes: {a: [x, y]}\nattributes: {b: [z, w]}", "cameras.yaml:2: attributes is there twice"},
		{"a: [x, y]\n---\nb: [z, w]", "cameras.yaml:2: a second document begins here, and one is read"},
		{"a: [x, y]\n---\nb: [z, w", "cameras.yaml:2: did not find expected ',' or ']'"},
		{"price: [10, 12, 1e1]", `cameras.yaml:1: attribute "price": "10" and "1e1" are the same number`},
		{"wifi: [yes, true]", `cameras.yaml:1: attribute "wifi": "yes" and "true" mean the same`},
		{"wifi: [yes, no, f]", `cameras.yaml:1: attribute "wifi": "no" and "f" mean the same`},
		{"a: &a [x, y]\nb: [*a, z]", `cameras.yaml:1: attribute "b": a level is a text or a number`},
		{manyAttributes(1001), "cameras.yaml:1: 1,001 attributes are too many (at most 1,000)"},
		{"a: [" + strings.Repeat(" ", 1<<20), "cameras.yaml: the contents of the file are larger than 1 MB"},
		{"a: [x, y", "cameras.yaml:1: did not find expected ',' or ']'"},
		{many.String(), `cameras.yaml:2: attribute "b": 1001 levels are too many (at most 1000)`},
		{"a: [x, 1]\nb: [1]\na: [2]\nc: 1", "cameras.yaml:3: attribute \"a\": it is there twice\ncameras.yaml:4: attribute \"c\": a list of levels is expected, such as [10, 12, 15]"},
	} {
		_, err := product.Read(strings.NewReader(c.text), "cameras.yaml", catalogue.Options{})
		if err == nil || err.Error() != c.says {
			t.Errorf("%q:\n%v, want\n%s", c.text, err, c.says)
		}
	}
	for kind, says := range map[catalogue.Kind]string{
		catalogue.Number: `attribute "a": "x" is not a number`, catalogue.Boolean: `attribute "a": "x" is neither true nor false`,
		catalogue.Label: "cannot be of kind label",
	} {
		_, err := product.Read(strings.NewReader("a: [x]"), "f", catalogue.Options{Kinds: map[string]catalogue.Kind{"a": kind}})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", kind, err)
		}
	}
	if _, err := product.Read(strings.NewReader("a: [x]"), "f",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"b": catalogue.Number}}); err == nil {
		t.Error("an attribute that is not there has a kind")
	}
}

// The catalogue has exactly the allowed profiles, and utilities are what the user means.
func TestProductIsItsAllowedProfiles(t *testing.T) {
	p := cataloguetest.ReadProfiles(t, cataloguetest.Cameras)
	e, c := cataloguetest.EncodeProfiles(t, p)
	if c.Len() != (9-2)*2 || c.Dim() != 1+2+1 || c.Product() == nil || len(c.Product().Groups) != 2 {
		t.Fatalf("%d profiles with %d features", c.Len(), c.Dim())
	}
	theta, err := e.Theta(map[string]float64{"price": -0.5, "brand=acme": 1, "brand=zenith": -1, "wifi": 0.25})
	testsupport.NoError(t, err)
	utility := func(arm int) float64 {
		u := 0.0
		for part := range strings.SplitSeq(c.ID(arm), ", ") {
			name, level, _ := strings.Cut(part, "=")
			switch name {
			case "price":
				var x float64
				_, _ = fmt.Sscan(level, &x)
				u -= 0.5 * x
			case "brand":
				u += map[string]float64{"acme": 1, "zenith": -1}[level]
			case "wifi":
				u += map[string]float64{"yes": 0.25}[level]
			}
		}
		return u
	}
	seen := map[string]bool{}
	for arm := range c.Len() {
		id := c.ID(arm)
		if seen[id] || strings.Contains(id, "acme") && !strings.Contains(id, "price=15") {
			t.Errorf("%q is there", id)
		}
		seen[id] = true
		approx.Equal(t, id, c.Utility(arm, theta)-c.Utility(0, theta), utility(arm)-utility(0), 1e-5)
		square := 0.0
		for _, x := range c.Arm(arm) {
			square += x * x
		}
		if square > 1 {
			t.Errorf("%s is outside of the ball: %v", id, square)
		}
	}
	for _, effect := range e.Effects(theta) {
		want := map[string]float64{"price": -0.5, "brand acme": 1, "brand zenith": -1, "brand no name": 0, "wifi": 0.25}
		name := strings.TrimSpace(effect.Column + " " + effect.Level)
		approx.Equal(t, name, effect.Utility, want[name], 1e-9)
	}
}

// Random forbidden combinations leave the profiles that a list of all would leave.
func TestForbiddenByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 60 {
		p := &product.Profiles{Source: "p"}
		for a := range 4 {
			attribute := product.Attribute{Name: string(rune('a' + a)), Kind: catalogue.Category}
			for l := range 1 + rng.IntN(3) {
				attribute.Levels = append(attribute.Levels, fmt.Sprint("l", l))
			}
			p.Attributes = append(p.Attributes, attribute)
		}
		for range rng.IntN(4) {
			first, second := rng.IntN(4), rng.IntN(4)
			if first == second {
				continue
			}
			pick := func(at int) product.LevelSet {
				a := p.Attributes[at]
				return product.LevelSet{Attribute: a.Name, Levels: []string{a.Levels[rng.IntN(len(a.Levels))]}}
			}
			p.Forbidden = append(p.Forbidden, product.Combination{pick(first), pick(second)})
		}
		allowed := enumerate(p)
		e, err := product.NewEncoding(p)
		if err != nil {
			continue // nothing differs
		}
		c, err := p.Encode(e)
		if err != nil {
			if len(allowed) > 1 {
				t.Errorf("%v with %d profiles: %v", p, len(allowed), err)
			}
			continue
		}
		if c.Len() != len(allowed) {
			t.Fatalf("%d profiles, by enumeration %d", c.Len(), len(allowed))
		}
		for arm := range c.Len() {
			levels := map[string]string{}
			for part := range strings.SplitSeq(c.ID(arm), ", ") {
				name, level, _ := strings.Cut(part, "=")
				levels[name] = level
			}
			if !allowed[levels["a"]+levels["b"]+levels["c"]+levels["d"]] {
				t.Fatalf("%s is forbidden", c.ID(arm))
			}
		}
	}
}

// Where forbidden combinations make features depend on each other, those that follow from others
// are left out, and utilities are still what the user means.
func TestForbiddenMakesDependent(t *testing.T) {
	for _, c := range []struct {
		text, leftOut string
		features      []string
	}{
		{
			"price: [1, 2]\nbrand: [a, b]\nsize: [s, m]\nforbidden: [{brand: a, price: 1}, {brand: b, price: 2}]",
			"[brand is determined by price]",
			[]string{"price", "size=s"},
		},
		{
			"price: [1, 2]\nbrand: [a, b, c]\nforbidden: [{brand: a, price: [1, 2]}]", "[brand=a is in no allowed profile]",
			[]string{"price", "brand=b"},
		},
		{
			"price: [1, 2]\nbrand: [a, b]\nforbidden: [{brand: a, price: [1, 2]}]",
			"[brand=a is in no allowed profile brand is the same for all arms]",
			[]string{"price"},
		},
		{
			"price: [1, 2, 9]\nbrand: [a, b]\nforbidden: [{brand: [a, b], price: 9}]", "[price=9 is in no allowed profile]",
			[]string{"price", "brand=a"},
		},
		{
			"a: [x, y, z]\nb: [u, v, w]\nforbidden: [{a: x, b: [v, w]}, {a: [y, z], b: u}]", "[b=v is determined by a and b]",
			[]string{"a=x", "a=y", "b=u"},
		},
	} {
		e, _ := cataloguetest.EncodeProfiles(t, cataloguetest.ReadProfiles(t, c.text))
		if fmt.Sprint(e.LeftOut) != c.leftOut || !slices.Equal(e.Features(), c.features) {
			t.Errorf("%s: left out %v, features %v", c.text, e.LeftOut, e.Features())
		}
	}
	e, _ := cataloguetest.EncodeProfiles(t,
		cataloguetest.ReadProfiles(t, "price: [1, 2, 9]\nbrand: [a, b]\nforbidden: [{brand: [a, b], price: 9}]"))
	approx.Equal(t, "mean price", e.Columns[0].Mean, 1.5, 0)
}

// By brute force over random products: features are independent, and the utilities of profiles
// differ as the user says.
func TestForbiddenKeepsUtilities(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	leftOut := 0
	for range 200 {
		var text strings.Builder
		counts := []int{2 + rng.IntN(3), 2 + rng.IntN(2), 2 + rng.IntN(2)}
		for a, count := range counts {
			fmt.Fprintf(&text, "%c: [%s]\n", 'a'+a, strings.Join([]string{"1", "2", "4", "7"}[:count], ", "))
		}
		text.WriteString("forbidden:\n")
		for range 3 + rng.IntN(5) {
			first, second := rng.IntN(3), 1+rng.IntN(2)
			second = (first + second) % 3
			level := func(a int) string { return []string{"1", "2", "4", "7"}[rng.IntN(counts[a])] }
			fmt.Fprintf(&text, "- {%c: %s, %c: %s}\n", 'a'+first, level(first), 'a'+second, level(second))
		}
		p, err := product.Read(strings.NewReader(text.String()), "p",
			catalogue.Options{Kinds: map[string]catalogue.Kind{"b": catalogue.Category}})
		testsupport.NoError(t, err)
		e, err := product.NewEncoding(p)
		if err != nil {
			continue // all is forbidden
		}
		c, err := p.Encode(e)
		testsupport.NoError(t, err)
		leftOut += len(e.LeftOut)
		checkIndependent(t, c)
		utilities := map[string]float64{}
		for _, column := range e.Columns {
			if column.Kind == catalogue.Number {
				utilities[column.Column] = rng.NormFloat64()
			}
			for _, level := range column.Levels {
				utilities[column.Column+"="+level] = rng.NormFloat64()
			}
		}
		theta, err := e.Theta(utilities)
		testsupport.NoError(t, err)
		utility := func(arm int) (u float64) {
			for part := range strings.SplitSeq(c.ID(arm), ", ") {
				name, level, _ := strings.Cut(part, "=")
				x, _ := strconv.ParseFloat(level, 64) // levels are numbers
				u += utilities[part] + utilities[name]*x
			}
			return u
		}
		longest := 0.0
		for arm := range c.Len() {
			approx.Equal(t, c.ID(arm), c.Utility(arm, theta)-c.Utility(0, theta), utility(arm)-utility(0), 1e-5)
			longest = max(longest, floats.Dot(c.Arm(arm), c.Arm(arm)))
			for _, x := range c.Arm(arm) {
				if float64(float32(x)) != x {
					t.Fatalf("%v has more than 32 bits", x)
				}
			}
		}
		if longest > 1 || longest < 1-1e-5 {
			t.Errorf("the longest profile has length² %v", longest)
		}
	}
	if leftOut < 100 {
		t.Errorf("only %d were left out", leftOut)
	}
}

// checkIndependent fails if a feature is a linear combination of others, up to a constant.
func checkIndependent(t *testing.T, c *choice.Catalogue) {
	t.Helper()
	rows := mat.NewDense(c.Len(), c.Dim(), nil)
	for arm := range c.Len() {
		rows.SetRow(arm, c.Arm(arm))
	}
	covariance := mat.NewSymDense(c.Dim(), nil)
	stat.CovarianceMatrix(covariance, rows, nil)
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, false) || !(eigen.Values(nil)[0] > 1e-6) {
		t.Errorf("the features %v are dependent: eigenvalues %v", c.Features(), eigen.Values(nil))
	}
}

// enumerate lists the allowed profiles of four attributes.
func enumerate(p *product.Profiles) map[string]bool {
	allowed := map[string]bool{}
	a := p.Attributes
	for _, w := range a[0].Levels {
		for _, x := range a[1].Levels {
			for _, y := range a[2].Levels {
				for _, z := range a[3].Levels {
					levels := map[string]string{"a": w, "b": x, "c": y, "d": z}
					forbidden := false
					for _, combination := range p.Forbidden {
						all := true
						for _, part := range combination {
							all = all && levels[part.Attribute] == part.Levels[0]
						}
						forbidden = forbidden || all
					}
					if !forbidden {
						allowed[w+x+y+z] = true
					}
				}
			}
		}
	}
	return allowed
}

func TestProductsThatCannotBe(t *testing.T) {
	var tied, large strings.Builder
	for a := range 9 {
		fmt.Fprintf(&tied, "a%d: [x, y, z]\n", a)
		fmt.Fprintf(&large, "a%d: [a, b, c, d, e, f, g, h, i, j, k]\n", a)
	}
	tied.WriteString("forbidden:\n")
	for a := range 8 {
		fmt.Fprintf(&tied, "- {a%d: x, a%d: y}\n", a, a+1)
	}
	for text, says := range map[string]string{
		"a: [x]\nb: [y]": "p: the profiles do not differ: every attribute has one allowed level",
		"a: [x]\nb: [y, z]\nforbidden: [{a: x, b: [y, z]}]": "p: every combination of a and b is forbidden",
		tied.String():  "p: forbidden combinations tie a0, a1, a2, a3, a4, a5, a6 and a7 together, with more than 4096 combinations of their levels",
		large.String(): "p: there are more than 1000000000 profiles",
	} {
		p, err := product.Read(strings.NewReader(text), "p", catalogue.Options{})
		testsupport.NoError(t, err)
		e, err := product.NewEncoding(p)
		if err == nil {
			_, err = p.Encode(e)
		}
		if err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

func FuzzProfiles(f *testing.F) {
	f.Add([]byte(cataloguetest.Cameras))
	f.Add([]byte("attributes: {a: [1, 2], b: [true, false]}"))
	f.Add([]byte("a: &x [1, 2]\nb: *x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := product.Read(bytes.NewReader(data), "p.yaml", catalogue.Options{})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		e, err := product.NewEncoding(p)
		if err != nil {
			return
		}
		if c, err := p.Encode(e); err == nil && (c.Dim() != len(e.Features()) || len(c.Arm(c.Len()-1)) != c.Dim()) {
			t.Errorf("%d features, %d encoded", c.Dim(), len(e.Features()))
		}
	})
}
