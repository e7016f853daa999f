package archive_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/product"
	"bestpick/internal/testsupport"
)

// TestWorths: levels are in the owner's words, against the average, and the differences of two arms' utilities
// are those of their levels.
func TestWorths(t *testing.T) {
	encoded := encodeText(t, "id,price,colour,dims\na,10,red,yes\nb,20,blue,no\nc,60,green,yes\nd,30,red,no\ne,25,green,no\n", "arms.csv", catalogue.Options{})
	theta, err := encoded.Encoding.Theta(map[string]float64{"price": -0.1, "colour=red": 1, "colour=blue": -1, "dims": 0.5})
	testsupport.NoError(t, err)
	n := len(theta)
	identity := mat.NewDiagDense(n, nil)
	for k := range n {
		identity.SetDiag(k, 4)
	}
	want := map[string]float64{"price 10": 1.9, "price 60": -3.1, "colour red": 1, "colour blue": -1, "colour green": 0, "dims yes": 0.25, "dims no": -0.25}
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
	profiles, err := product.Read(strings.NewReader("price: [10, 12.50, 15]\nwifi: [yes, no]\nbrand: [acme, zenith, other]\n"), "p.yaml", catalogue.Options{})
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
				approx.Equal(t, effect.Column+"="+effect.Level, worths[effect.Column+"="+effect.Level], effect.Utility, 1e-9*(1+effect.Utility*effect.Utility))
			}
		}
	})
}
