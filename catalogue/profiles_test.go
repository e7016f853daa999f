package catalogue_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/catalogue"
	"bestpick/choice"
	"bestpick/internal/approx"
)

func readProfiles(tb testing.TB, text string) *catalogue.Profiles {
	tb.Helper()
	p, err := catalogue.ReadProfiles(strings.NewReader(text), "cameras.yaml", catalogue.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func encodeProfiles(tb testing.TB, p *catalogue.Profiles) (*catalogue.Encoding, *choice.Catalogue) {
	tb.Helper()
	e, err := catalogue.NewProductEncoding(p)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := p.Encode(e)
	if err != nil {
		tb.Fatal(err)
	}
	return e, c
}

const cameras = `
price: [10, 12, 15]
brand: [acme, zenith, "no name"]
wifi: [yes, no]
forbidden:
  - {brand: acme, price: [10, 12]}
`

func TestReadProfiles(t *testing.T) {
	want := &catalogue.Profiles{
		Source: "cameras.yaml",
		Attributes: []catalogue.Attribute{
			{Name: "price", Kind: catalogue.Number, Levels: []string{"10", "12", "15"}},
			{Name: "brand", Kind: catalogue.Category, Levels: []string{"acme", "zenith", "no name"}},
			{Name: "wifi", Kind: catalogue.Boolean, Levels: []string{"yes", "no"}},
		},
		Forbidden: []catalogue.Combination{{{Attribute: "brand", Levels: []string{"acme"}}, {Attribute: "price", Levels: []string{"10", "12"}}}},
	}
	for name, text := range map[string]string{
		"plain":            cameras,
		"under attributes": "attributes:\n  price: [10, 12, 15]\n  brand: [acme, zenith, no name]\n  wifi: [yes, no]\nforbidden: [{brand: acme, price: [10, 12]}]",
		"blocks":           "price:\n  - 10\n  - 12\n  - 15\nbrand:\n- acme\n- zenith\n- no name\nwifi: ['yes', 'no']\nforbidden:\n- brand: acme\n  price:\n  - 10\n  - 12\n",
		"JSON":             `{"price": [10, 12, 15], "brand": ["acme", "zenith", "no name"], "wifi": ["yes", "no"], "forbidden": [{"brand": "acme", "price": [10, 12]}]}`,
	} {
		if difference := cmp.Diff(want, readProfiles(t, text)); difference != "" {
			t.Errorf("%s: %s", name, difference)
		}
	}
	p, err := catalogue.ReadProfiles(strings.NewReader(cameras), "cameras.yaml", catalogue.Options{Kinds: map[string]catalogue.Kind{"price": catalogue.Category}})
	if err != nil || p.Attributes[0].Kind != catalogue.Category {
		t.Errorf("%v, %v", p, err)
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
		{"price: 10", `cameras.yaml:1: column "price": a list of levels is expected, such as [10, 12, 15]`},
		{"price: [10, 10]", `cameras.yaml:1: column "price": the level "10" is there twice`},
		{"price: [10, [1]]", `cameras.yaml:1: column "price": a level is a text or a number`},
		{"price: [10, ]\nbrand: [a, '']", `cameras.yaml:2: column "brand": a level is missing`},
		{"a: [x, y]\na: [z, w]", `cameras.yaml:2: column "a": the attribute is there twice`},
		{"attributes: {a: [x, y]}\nb: [z]", `cameras.yaml:2: column "b": it stands beside the attributes; there are attributes and forbidden`},
		{"a: [x, y]\nforbidden: x", `cameras.yaml:2: column "forbidden": a list of combinations is expected, such as - {brand: acme, price: 15}`},
		{"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x}", `cameras.yaml:4: column "forbidden": a combination has two attributes at least, such as {brand: acme, price: 15}`},
		{"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x, c: z}", `cameras.yaml:4: column "c": there is no such attribute`},
		{"a: [x, y]\nb: [z, w]\nforbidden:\n- {a: x, b: q}", `cameras.yaml:4: column "b": "q" is not one of its levels`},
		{"a: [x, y", "cameras.yaml:1: did not find expected ',' or ']'"},
		{many.String(), `cameras.yaml:2: column "b": 1001 levels are too many (at most 1000)`},
		{"a: [x, 1]\nb: [1]\na: [2]\nc: 1", "cameras.yaml:3: column \"a\": the attribute is there twice\ncameras.yaml:4: column \"c\": a list of levels is expected, such as [10, 12, 15]"},
	} {
		_, err := catalogue.ReadProfiles(strings.NewReader(c.text), "cameras.yaml", catalogue.Options{})
		if err == nil || err.Error() != c.says {
			t.Errorf("%q:\n%v, want\n%s", c.text, err, c.says)
		}
	}
	for kind, says := range map[catalogue.Kind]string{
		catalogue.Number: `column "a": "x" is not a number`, catalogue.Boolean: `column "a": "x" is neither true nor false`, catalogue.Label: "cannot be of kind label",
	} {
		_, err := catalogue.ReadProfiles(strings.NewReader("a: [x]"), "f", catalogue.Options{Kinds: map[string]catalogue.Kind{"a": kind}})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v", kind, err)
		}
	}
	if _, err := catalogue.ReadProfiles(strings.NewReader("a: [x]"), "f", catalogue.Options{Kinds: map[string]catalogue.Kind{"b": catalogue.Number}}); err == nil {
		t.Error("an attribute that is not there has a kind")
	}
}

// The catalogue has exactly the allowed profiles, and utilities are what the user means.
func TestProductIsItsAllowedProfiles(t *testing.T) {
	p := readProfiles(t, cameras)
	e, c := encodeProfiles(t, p)
	if c.Len() != (9-2)*2 || c.Dim() != 1+2+1 || c.Product() == nil || len(c.Product().Groups) != 2 {
		t.Fatalf("%d profiles with %d features", c.Len(), c.Dim())
	}
	theta, err := e.Theta(map[string]float64{"price": -0.5, "brand=acme": 1, "brand=zenith": -1, "wifi": 0.25})
	if err != nil {
		t.Fatal(err)
	}
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
		p := &catalogue.Profiles{Source: "p"}
		for a := range 4 {
			attribute := catalogue.Attribute{Name: string(rune('a' + a)), Kind: catalogue.Category}
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
			pick := func(at int) catalogue.LevelSet {
				a := p.Attributes[at]
				return catalogue.LevelSet{Attribute: a.Name, Levels: []string{a.Levels[rng.IntN(len(a.Levels))]}}
			}
			p.Forbidden = append(p.Forbidden, catalogue.Combination{pick(first), pick(second)})
		}
		allowed := enumerate(p)
		e, err := catalogue.NewProductEncoding(p)
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

// enumerate lists the allowed profiles of four attributes.
func enumerate(p *catalogue.Profiles) map[string]bool {
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
		"a: [x]\nb: [y]": "p: the profiles do not differ: every attribute has one level",
		"a: [x]\nb: [y, z]\nforbidden: [{a: x, b: [y, z]}]": "p: every combination of a and b is forbidden",
		tied.String():  "p: forbidden combinations tie a0, a1, a2, a3, a4, a5, a6 and a7 together, with more than 4096 combinations of their levels",
		large.String(): "p: there are more than 1000000000 profiles",
	} {
		p, err := catalogue.ReadProfiles(strings.NewReader(text), "p", catalogue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := catalogue.NewProductEncoding(p)
		if err == nil {
			_, err = p.Encode(e)
		}
		if err == nil || err.Error() != says {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

func FuzzProfiles(f *testing.F) {
	f.Add([]byte(cameras))
	f.Add([]byte("attributes: {a: [1, 2], b: [true, false]}"))
	f.Add([]byte("a: &x [1, 2]\nb: *x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := catalogue.ReadProfiles(bytes.NewReader(data), "p.yaml", catalogue.Options{})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		e, err := catalogue.NewProductEncoding(p)
		if err != nil {
			return
		}
		if c, err := p.Encode(e); err == nil && (c.Dim() != len(e.Features()) || len(c.Arm(c.Len()-1)) != c.Dim()) {
			t.Errorf("%d features, %d encoded", c.Dim(), len(e.Features()))
		}
	})
}
