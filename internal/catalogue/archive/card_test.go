package archive_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/product"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/testsupport"
)

// encodeText reads a table and encodes it.
func encodeText(t rapid.TB, text, name string, options catalogue.Options) *archive.Encoded {
	t.Helper()
	arms, err := read.Table(strings.NewReader(text), name, options)
	testsupport.NoError(t, err)
	encoded, err := archive.Encode(arms, 0)
	testsupport.NoError(t, err)
	return encoded
}

// TestCards: an arm is shown in the owner's words, before it was saved and afterwards.
func TestCards(t *testing.T) {
	const text = `id,title,text,picture,price,colour,wifi,tax,note,e1,e2
a,Alpha,the first,a.png,12.50,red,yes,0.20,not known,1,2
b,Beta,,b.png,1e3,blue,no,0.20,why it is,2,1
c,,"two
lines",,+7,red,No,0.20,so and not,3,3
`
	encoded := encodeText(t, text, "arms.csv",
		catalogue.Options{Kinds: map[string]catalogue.Kind{"e": catalogue.Embedding, "colour": catalogue.Category}})
	loaded, err := load(save(t, &encoded.Catalogue))
	testsupport.NoError(t, err)
	want := []string{
		`{"id":"a","label":"Alpha","description":"the first","image":"a.png","attributes":[{"name":"price","value":"12.50"},{"name":"colour","value":"red"},{"name":"wifi","value":"yes"},{"name":"tax","value":"0.20"},{"name":"note","value":"not known"}]}`,
		`{"id":"b","label":"Beta","image":"b.png","attributes":[{"name":"price","value":"1e3"},{"name":"colour","value":"blue"},{"name":"wifi","value":"no"},{"name":"tax","value":"0.20"},{"name":"note","value":"why it is"}]}`,
		`{"id":"c","description":"two\nlines","attributes":[{"name":"price","value":"+7"},{"name":"colour","value":"red"},{"name":"wifi","value":"No"},{"name":"tax","value":"0.20"},{"name":"note","value":"so and not"}]}`,
	}
	for _, saved := range []*archive.Catalogue{&encoded.Catalogue, loaded} {
		for arm := range want {
			got, err := json.Marshal(saved.Card(arm))
			if err != nil || string(got) != want[arm] {
				t.Errorf("%s, want %s", got, want[arm])
			}
		}
	}
	for k, kind := range []catalogue.Kind{
		catalogue.Number, catalogue.Category, catalogue.Boolean, catalogue.Number,
		catalogue.Shown,
	} {
		if got := loaded.Attributes[k].Kind; got != kind {
			t.Errorf("%s is loaded as %v", loaded.Attributes[k].Name, got)
		}
	}
}

// TestCardsOfAProduct: the attributes of a profile are its levels, also where forbidden
// combinations tie attributes together that do not stand side by side.
func TestCardsOfAProduct(t *testing.T) {
	profiles := cataloguetest.ReadProfiles(t,
		"price: [10.0, 12, 15]\nbrand: [acme, zenith]\nwifi: [yes, no]\ncase: [soft]\nforbidden: [{price: 15, wifi: no}, {price: 12, wifi: no}]")
	encoding, err := product.NewEncoding(profiles)
	testsupport.NoError(t, err)
	arms, err := profiles.Encode(encoding)
	testsupport.NoError(t, err)
	loaded, err := load(save(t, &archive.Catalogue{Encoding: encoding, Arms: arms, Profiles: profiles}))
	testsupport.NoError(t, err)
	if arms.Len() != 8 {
		t.Fatalf("%d profiles", arms.Len())
	}
	cards := loaded.Cards()
	for arm := range arms.Len() {
		card := loaded.Card(arm)
		if !reflect.DeepEqual(cards(arm), card) {
			t.Errorf("%+v is not %+v", cards(arm), card)
		}
		if len(card.Attributes) != 4 || card.Label+card.Description+card.Image != "" {
			t.Fatalf("%+v", card)
		}
		for at, a := range card.Attributes {
			if a.Name != profiles.Attributes[at].Name || !strings.Contains(", "+arms.ID(arm)+", ", ", "+a.Name+"="+a.Value+", ") {
				t.Errorf("%s has %s=%s", arms.ID(arm), a.Name, a.Value)
			}
		}
	}
}

// TestAttributesAreNotMistaken: columns of the owner's with the names of others are saved beside
// those.
func TestAttributesAreNotMistaken(t *testing.T) {
	names := []string{"id", "label", "description", "image", "attribute:price", `\r`, "x\r\ny", "x\ny", `\`, "ID"}
	object := map[string]any{}
	var lines strings.Builder
	for arm := range 4 {
		object["sku"], object["title"], object["text"], object["picture"] = fmt.Sprint("s", arm), fmt.Sprint("Label ", arm),
			fmt.Sprint("Text ", arm), "p.png"
		for k, name := range names {
			object[name] = strconv.Itoa((arm + k) % 3)
		}
		line, err := json.Marshal(object)
		testsupport.NoError(t, err)
		lines.Write(append(line, '\n'))
	}
	options := catalogue.Options{Kinds: map[string]catalogue.Kind{
		"sku": catalogue.ID, "title": catalogue.Label, "text": catalogue.Description, "picture": catalogue.Image,
	}}
	for _, name := range names {
		options.Kinds[name] = catalogue.Category
	}
	encoded := encodeText(t, lines.String(), "arms.jsonl", options)
	loaded, err := load(save(t, &encoded.Catalogue))
	testsupport.NoError(t, err)
	for arm := range 4 {
		card := loaded.Card(arm)
		if card.ID != fmt.Sprint("s", arm) || card.Label != fmt.Sprint("Label ", arm) || card.Description != fmt.Sprint("Text ", arm) ||
			card.Image != "p.png" {
			t.Errorf("%+v", card)
		}
		if !slices.Equal(card.Attributes, encoded.Card(arm).Attributes) || len(card.Attributes) != len(names) {
			t.Errorf("%q, they were %q", card.Attributes, encoded.Card(arm).Attributes)
		}
		for _, a := range card.Attributes {
			if want := strconv.Itoa((arm + slices.Index(names, a.Name)) % 3); a.Value != want {
				t.Errorf("%q of arm %d is %q", a.Name, arm, a.Value)
			}
		}
	}
}

// TestEmbeddingsAreNoAttributes: what says so was not saved.
func TestEmbeddingsAreNoAttributes(t *testing.T) {
	e, c := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.IDs("a", "b"),
		cataloguetest.Embedding("e", 2, 1, 2, 3, 4)))
	file := save(t, &archive.Catalogue{
		Encoding: e, Arms: c,
		Attributes: []catalogue.Column{cataloguetest.Categories("e", "x", "y")},
	})
	if _, err := load(file); err == nil || !strings.Contains(err.Error(), `arms.csv: the attribute "e" is an embedding`) {
		t.Error(err)
	}
}

// BenchmarkLoad loads a catalogue of 100,000 arms with ten numbers and ten categories, and
// reports how many bytes an attribute takes in memory for each arm.
func BenchmarkLoad(b *testing.B) {
	const arms, each = 100_000, 10
	var text strings.Builder
	text.WriteString("id")
	for k := range each {
		fmt.Fprintf(&text, ",number %c,category %c", 'a'+k, 'a'+k)
	}
	for i := range arms {
		fmt.Fprintf(&text, "\n%d", i)
		for k := range each {
			fmt.Fprintf(&text, ",%d.%02d,level %d", (i+k)%97, (i*k)%89, (i+i/7*k)%5)
		}
	}
	encoded := encodeText(b, text.String(), "arms.csv", catalogue.Options{})
	whole := save(b, &encoded.Catalogue)
	encoded.Attributes = nil
	without := save(b, &encoded.Catalogue)
	var more int64
	for b.Loop() {
		more = held(b, whole) - held(b, without)
	}
	b.ReportMetric(float64(more)/(2*arms*each), "bytes/cell")
}

// held returns how much memory a catalogue takes that is loaded from a file.
func held(b *testing.B, file []byte) int64 {
	b.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	saved, err := load(file)
	testsupport.NoError(b, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(saved)
	return int64(after.HeapAlloc) - int64(before.HeapAlloc)
}

// TestWorths: levels are in the owner's words, against the average, and the differences of two arms' utilities
// are those of their levels.
func TestWorths(t *testing.T) {
	encoded := encodeText(t, "id,price,colour,dims\na,10,red,yes\nb,20,blue,no\nc,60,green,yes\nd,30,red,no\ne,25,green,no\n",
		"arms.csv", catalogue.Options{})
	theta, err := encoded.Encoding.Theta(map[string]float64{"price": -0.1, "colour=red": 1, "colour=blue": -1, "dims": 0.5})
	testsupport.NoError(t, err)
	n := len(theta)
	identity := mat.NewDiagDense(n, nil)
	for k := range n {
		identity.SetDiag(k, 4)
	}
	want := map[string]float64{
		"price 10": 1.9, "price 60": -3.1, "colour red": 1, "colour blue": -1, "colour green": 0,
		"dims yes": 0.25, "dims no": -0.25,
	}
	worths := encoded.PartWorths(theta, identity)
	if len(worths) != len(want) {
		t.Fatalf("there are %+v", worths)
	}
	for _, w := range worths {
		utility, known := want[w.Column+" "+w.Level]
		if !known {
			t.Errorf("unexpected part-worth %+v", w)
		}
		approx.Equal(t, w.Column+" "+w.Level, w.Utility, utility, 1e-6)
	}
	last := worths[4] // of two features with the standard error 2 each, divided by the ball
	approx.Equal(t, "the error of the last level", last.Error, 2*math.Sqrt2/encoded.Encoding.Ball, 1e-9)
}

// TestWorthsOfProduct: the levels are those of the attributes.
func TestWorthsOfProduct(t *testing.T) {
	profiles, err := product.Read(strings.NewReader("price: [10, 12.50, 15]\nwifi: [yes, no]\nbrand: [acme, zenith, other]\n"),
		"p.yaml", catalogue.Options{})
	testsupport.NoError(t, err)
	e, arms := cataloguetest.EncodeProfiles(t, profiles)
	saved := &archive.Catalogue{Encoding: e, Arms: arms, Profiles: profiles}
	var names []string
	for _, w := range saved.PartWorths(make([]float64, arms.Dim()), mat.NewDiagDense(arms.Dim(), nil)) {
		names = append(names, w.Column+"="+w.Level)
	}
	if got := strings.Join(names, " "); got != "price=10 price=15 wifi=yes wifi=no brand=acme brand=zenith brand=other" {
		t.Errorf("the levels are %s", got)
	}
}

// TestWorthsAreEffects: a number's worth grows by its effect a unit, a level's worth is its effect.
func TestWorthsAreEffects(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arms := cataloguetest.DrawTable(t)
		encoded, err := archive.Encode(arms, 0)
		testsupport.NoError(t, err)
		theta, err := encoded.Encoding.Theta(cataloguetest.DrawUtilities(t, encoded.Encoding))
		testsupport.NoError(t, err)
		worths := map[string]float64{}
		for _, w := range encoded.PartWorths(theta, mat.NewDiagDense(len(theta), nil)) {
			worths[w.Column+"="+w.Level] = w.Utility
		}
		for _, effect := range encoded.Encoding.Effects(theta) {
			if effect.Kind == catalogue.Category {
				approx.Equal(t, effect.Column+"="+effect.Level, worths[effect.Column+"="+effect.Level], effect.Utility,
					1e-9*(1+effect.Utility*effect.Utility))
			}
		}
	})
}
