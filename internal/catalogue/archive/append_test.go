package archive_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/testsupport"
)

const firstLamps = `sku,label,price,cents,brand,country,wifi
a,Alpha,10,1000,acme,us,yes
b,Beta,12,1200,hal,us,no
c,Gamma,15,1500,zeta,de,yes
d,Delta,11,1100,acme,us,no
e,Epsilon,14,1400,zeta,de,yes
f,Zeta,19,1900,hal,us,yes
`

// saveLamps returns the first arms as they are loaded.
func saveLamps(t *testing.T) *archive.Catalogue {
	t.Helper()
	arms, err := read.Table(strings.NewReader(firstLamps), "lamps.csv", catalogue.Options{})
	testsupport.NoError(t, err)
	encoded, err := archive.Encode(arms, 0)
	testsupport.NoError(t, err)
	if left := fmt.Sprint(encoded.Encoding.LeftOut); left != "[cents is determined by price country is determined by brand]" {
		t.Fatal(left)
	}
	saved, err := load(save(t, &encoded.Catalogue))
	testsupport.NoError(t, err)
	return saved
}

func extend(saved *archive.Catalogue, text string, options catalogue.Options) (*archive.Encoded, error) {
	return saved.Add(uploaded("more.csv", text), options)
}

// TestExtend: the first arms stay as they are, to the bit, and later ones follow, as if they had
// been encoded with them.
func TestExtend(t *testing.T) {
	saved := saveLamps(t)
	whole, err := extend(saved, "sku,price,brand,wifi,description\na2,10,acme,yes,Again\n", catalogue.Options{})
	testsupport.NoError(t, err)
	if whole.Arms.Len() != 7 || whole.Added != 1 || whole.Arms.ID(6) != "a2" {
		t.Fatalf("%d arms, of these %d new", whole.Arms.Len(), whole.Added)
	}
	for i := range saved.Arms.Len() {
		if whole.Arms.ID(i) != saved.Arms.ID(i) || !slices.Equal(whole.Arms.Arm(i), saved.Arms.Arm(i)) {
			t.Errorf("arm %d has changed", i)
		}
	}
	if !slices.Equal(whole.Arms.Arm(6), saved.Arms.Arm(0)) {
		t.Errorf("%v, the same arm was %v", whole.Arms.Arm(6), saved.Arms.Arm(0))
	}
	if fmt.Sprint(whole.Labels) != "[Alpha Beta Gamma Delta Epsilon Zeta ]" ||
		!slices.Equal(whole.Descriptions, []string{"", "", "", "", "", "", "Again"}) || whole.Images != nil {
		t.Errorf("%q %q %q", whole.Labels, whole.Descriptions, whole.Images)
	}
	if warnings := fmt.Sprint(whole.Warnings); warnings != "[some options are equal in all columns that are used (rows in brackets): a (1) = a2 (7)]" {
		t.Error(warnings)
	}
	if got := fmt.Sprint(whole.Card(5).Attributes,
		whole.Card(6).Attributes); got != "[{price 19} {cents 1900} {brand hal} {country us} {wifi yes}] [{price 10} {brand acme} {wifi yes}]" {
		t.Error(got)
	}
	again, err := load(save(t, &whole.Catalogue))
	if err != nil || again.Arms.Len() != 7 {
		t.Fatal(err)
	}
	for arm := range 7 {
		if !reflect.DeepEqual(again.Card(arm), whole.Card(arm)) {
			t.Errorf("%+v is loaded as %+v", whole.Card(arm), again.Card(arm))
		}
	}
}

func TestLaterArms(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"nothing":  {"sku,price,cents,brand,country,wifi\ng,13,1300,acme,us,no\n", "[]"},
		"not read": {"sku,price,cents,brand,country,wifi,stock\ng,13,,acme,,no,\nh,12.5,a lot,hal,,yes,3\n", "[]"},
		"broken": {
			"sku,price,cents,brand,country,wifi\ng,13,1313,acme,us,no\nh,13,1300,hal,de,no\ni,11.5,1150.01,hal,us,yes\n",
			"[cents of g does not follow from price as it does for the first arms, and is left out even so country of h does not follow from brand as it does for the first arms, and is left out even so]",
		},
		"strange level": {
			"sku,price,brand,country,wifi\ng,13,acme,fr,no\n",
			"[no arm of the study has country=fr; country is left out, since it followed from brand]",
		},
		"outside": {
			"sku,price,brand,wifi\ng,25,acme,no\n",
			"[outside the unit ball of the first arms: g; the paper's theorems assume that no arm is]",
		},
		"outlier": {
			"sku,price,brand,wifi\nh,12.5,acme,no\ng,70,acme,no\n",
			"[outside the unit ball of the first arms: g; the paper's theorems assume that no arm is price of g is 70, 19 standard deviations from the mean: this arm alone decides much of the effect]",
		},
		"id there": {"sku,price,brand,wifi\ng,13,acme,no\nb,13,acme,no\n", `more.csv:3: an arm "b" is there already`},
		"strange brand": {
			"sku,price,brand,wifi\ng,13,ibm,no\n",
			`more.csv:2: column "brand": "ibm" is a level that no arm of the study has`,
		},
		"no ids": {"id,price,brand,wifi\ng,13,acme,no\n", `more.csv:1: column "sku": there is no such column`},
		"id twice": {
			"sku,price,brand,wifi\ng,13,acme,no\ng,14,acme,no\n",
			`more.csv:3: column "sku": "g" is the id in line 2 already`,
		},
		"missing":          {"sku,price,brand,wifi,stock\ng,,acme,no,\n", `more.csv:2: column "price": the value is missing`},
		"column not there": {"sku,price,brand\ng,13,acme\n", `more.csv:1: column "wifi": there is no such column`},
	} {
		whole, err := extend(saveLamps(t), c.text, catalogue.Options{})
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(whole.Warnings)
		}
		if !strings.HasPrefix(got, c.says) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if whole, err := extend(saveLamps(t), "code,sku,price,brand,wifi\nx,1,13,acme,no\n",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"code": catalogue.ID}}); err != nil || whole.Arms.ID(6) != "x" {
		t.Errorf("another column of ids: %v", err)
	}
}

// TestLaterAttributes are kept as they are written, also of columns that the encoding leaves out.
func TestLaterAttributes(t *testing.T) {
	whole, err := extend(saveLamps(t), "sku,price,cents,brand,country,wifi,stock\ng,13.0,a lot,acme,fr,Y,7\nh,1.2e1,1200.00,acme,,f,\n", catalogue.Options{})
	testsupport.NoError(t, err)
	loaded, err := load(save(t, &whole.Catalogue))
	testsupport.NoError(t, err)
	for _, s := range []*archive.Catalogue{&whole.Catalogue, loaded} {
		if got := fmt.Sprint(s.Card(6).Attributes,
			s.Card(7).Attributes); got != "[{price 13.0} {cents a lot} {brand acme} {country fr} {wifi Y}] [{price 1.2e1} {cents 1200.00} {brand acme} {wifi f}]" {
			t.Error(got)
		}
	}
}

// TestArmsOfOtherFormatsAreAdded: to a table came rows of a matrix, and to these others.
func TestArmsOfOtherFormatsAreAdded(t *testing.T) {
	rows, more := uploaded("rows.txt", "a\nb\nc\n"), uploaded("more.txt", "d\ne\nf\n")
	matrix := uploaded("m.npy", smallMatrix(t))
	matrix.IDs = &rows
	first, err := archive.OpenUpload(matrix, catalogue.Options{}, 0)
	testsupport.NoError(t, err)
	matrix.IDs = &more
	whole, err := first.Add(matrix, catalogue.Options{})
	testsupport.NoError(t, err)
	again, err := whole.Add(uploaded("one.jsonl", `{"id":"g","e":[8,13]}`), catalogue.Options{})
	testsupport.NoError(t, err)
	if again.Arms.Len() != 7 || again.Added != 1 || !slices.Equal(again.Arms.Arm(6), first.Arms.Arm(2)) ||
		!slices.Equal(again.Arms.Arm(5), first.Arms.Arm(2)) {
		t.Errorf("%d arms", again.Arms.Len())
	}
}

func TestArmsThatCannotBeAdded(t *testing.T) {
	product, err := archive.OpenUpload(uploaded("p.yaml", cataloguetest.Cameras), catalogue.Options{}, 0)
	testsupport.NoError(t, err)
	for says, add := range map[string]func() (*archive.Encoded, error){
		"more.csv: no arms can be added: there are all combinations of the attributes already": func() (*archive.Encoded, error) {
			return product.Add(uploaded("more.csv", "id\na\n"), catalogue.Options{})
		},
		"s.npz: arms that are added come in a table, not encoded": func() (*archive.Encoded, error) {
			return saveLamps(t).Add(uploaded("s.npz", "PK"), catalogue.Options{})
		},
		"p.yml: arms that are added come in a table, not as attributes and levels": func() (*archive.Encoded, error) {
			return saveLamps(t).Add(uploaded("p.yml", cataloguetest.Cameras), catalogue.Options{})
		},
		`more.npy: column "brand": there is no such column; there are id, e`: func() (*archive.Encoded, error) {
			return saveLamps(t).Add(uploaded("more.npy", smallMatrix(t)), catalogue.Options{})
		},
		"nowhere.csv: no such file": func() (*archive.Encoded, error) {
			return saveLamps(t).AddFile("nowhere.csv", catalogue.Options{})
		},
	} {
		if _, err := add(); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("got %v, want %s", err, says)
		}
	}
}

// TestFirstArmsAreWhatTheyWere before others were added, to the byte.
func TestFirstArmsAreWhatTheyWere(t *testing.T) {
	stages := []*archive.Catalogue{saveLamps(t)}
	for _, more := range []string{
		"sku,price,cents,brand,country,wifi,description\ng,+13,1300,acme,us,no,More\nh,14,n/a,hal,us,YES,\n",
		"sku,price,brand,wifi,image\ni,13.50,zeta,no,https://example.org/i.png\n",
	} {
		whole, err := extend(stages[len(stages)-1], more, catalogue.Options{})
		testsupport.NoError(t, err)
		stages = append(stages, &whole.Catalogue)
	}
	last := stages[len(stages)-1]
	for _, stage := range stages {
		first := last.First(stage.Arms.Len())
		// What came up later is empty for the first.
		for _, texts := range [][2]*[]string{{&stage.Descriptions, &first.Descriptions}, {&stage.Images, &first.Images}} {
			if *texts[0] == nil && !slices.ContainsFunc(*texts[1], func(text string) bool { return text != "" }) {
				*texts[1] = nil
			}
		}
		if !bytes.Equal(save(t, first), save(t, stage)) {
			t.Errorf("the first %d arms have changed", stage.Arms.Len())
		}
	}
	if last.First(9) != last {
		t.Error("all arms are another catalogue")
	}
	first := last.First(6)
	first.Attributes[0].Numbers = append(first.Attributes[0].Numbers, 99)
	first.Labels = append(first.Labels, "other")
	if last.Attributes[0].Numbers[6] != 13 || last.Labels[6] != "" {
		t.Error("what is added to the first arms is written over others")
	}
}

// TestFirstOfVeryManyArms: where there were so few that they were kept in 64 bits, utilities are
// what they were, to the bit.
func TestFirstOfVeryManyArms(t *testing.T) {
	const n, d, few = 2100, 2048, 2000 // few·d is below 2²², n·d above
	ids, features, cells, theta := make([]string, n), make([]string, d), make([]float32, n*d), make([]float64, d)
	for k := range d {
		features[k], theta[k] = fmt.Sprint("x", k), math.Cos(float64(k))
	}
	rows := make([][]float64, few)
	for i := range ids {
		ids[i] = fmt.Sprint("a", i)
		for k := range d {
			cells[i*d+k] = float32(math.Sin(float64(i*d + k)))
			if i < few {
				rows[i] = append(rows[i], float64(cells[i*d+k]))
			}
		}
	}
	all, err := choice.NewDense(ids, features, cells)
	testsupport.NoError(t, err)
	before, err := choice.NewCatalogue(ids[:few], features, rows)
	testsupport.NoError(t, err)
	saved := &archive.Catalogue{Arms: all}
	first := saved.First(few).Arms
	for i := range few {
		if !slices.Equal(first.Arm(i), before.Arm(i)) ||
			math.Float64bits(first.Utility(i, theta)) != math.Float64bits(before.Utility(i, theta)) {
			t.Fatalf("the utility of arm %d was %v and is %v", i, before.Utility(i, theta), first.Utility(i, theta))
		}
	}
	if still := saved.First(n - 1).Arms; math.Float64bits(still.Utility(7, theta)) != math.Float64bits(all.Utility(7, theta)) {
		t.Error("most of very many arms are not kept as all of them are")
	}
}
