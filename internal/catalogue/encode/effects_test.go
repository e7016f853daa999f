package encode_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/testsupport"
)

func TestEffectsInTheUsersWords(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("price", 1, 3, 3, 1, 5), cataloguetest.Categories("brand", "acme", "hal", "acme", "zeta", "hal"), cataloguetest.Booleans("wifi", "yes", "no", "no", "no", "yes")))
	theta, err := e.Theta(map[string]float64{"price": -0.31, "brand=acme": 0.8, "brand=hal": -0.5, "brand=zeta": -0.3, "wifi": 1.25})
	testsupport.NoError(t, err)
	got := fmt.Sprint(e.Effects(theta))
	if got != "[price −0.31 per unit brand=acme +0.8 against average brand=hal −0.5 against average brand=zeta −0.3 against average wifi +1.25 true against false]" {
		t.Error(got)
	}
}

// TestEffectsOfAnEmbedding is the length of its part of θ.
func TestEffectsOfAnEmbedding(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(randomEmbedding(rand.New(rand.NewPCG(1, 1)), 20, 3)))
	theta, err := e.Theta(map[string]float64{"e[1]": -3, "e[3]": 4})
	testsupport.NoError(t, err)
	effects := e.Effects(theta)
	if len(effects) != 1 || effects[0].String() != "e +5 per unit in its best direction" {
		t.Error(effects)
	}
}

// TestThetaTakesDifferences: utilities of levels that have another average are the same.
func TestThetaTakesDifferences(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.Phones())
	theta, err := e.Theta(map[string]float64{"brand=hal": 3})
	testsupport.NoError(t, err)
	for i, want := range []float64{0, -1, 2, -1} {
		approx.Equal(t, e.Effects(theta)[i].String(), e.Effects(theta)[i].Utility, want, 1e-12)
	}
}

func TestThetaRefusesUnknownNames(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.Phones())
	for name, says := range map[string]string{
		"prize": `"prize" is no column or level in which the arms differ; there are price, brand=acme, brand=hal and brand=zeta`,
		"brand": `"brand" is no column or level`,
	} {
		if _, err := e.Theta(map[string]float64{name: 1}); err == nil || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := e.Theta(map[string]float64{"price": math.NaN()}); err == nil {
		t.Error("NaN is a utility")
	}
}

// TestEffectsUndoTheta where nothing is left out: what is has no effect of its own.
func TestEffectsUndoTheta(t *testing.T) {
	whole := rapid.Custom(cataloguetest.DrawTable).Filter(func(arms *catalogue.Table) bool {
		e, err := encode.NewEncoding(arms, 0)
		return err == nil && len(e.LeftOut) == 0
	})
	rapid.Check(t, func(t *rapid.T) {
		e, _ := cataloguetest.EncodeTable(t, whole.Draw(t, "arms"))
		utilities := cataloguetest.DrawUtilities(t, e)
		theta, err := e.Theta(utilities)
		testsupport.NoError(t, err)
		met := 0
		for _, effect := range e.Effects(theta) {
			name := effect.Column
			if effect.Level != "" {
				name += "=" + effect.Level
			}
			want, known := utilities[name]
			if !known && effect.Kind != catalogue.Embedding {
				t.Errorf("there is no %s", name)
			}
			if known {
				met++
			}
			approx.Equal(t, name, effect.Utility, want, 1e-12*math.Hypot(1, want))
		}
		if met != len(utilities) {
			t.Errorf("%d of %d effects", met, len(utilities))
		}
	})
}

// TestUtilitiesAreTheUsers: arms differ in a'θ by what the user's utilities say, whatever was
// left out.
func TestUtilitiesAreTheUsers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arms := cataloguetest.DrawTable(t)
		e, c := cataloguetest.EncodeTable(t, arms)
		utilities := cataloguetest.DrawUtilities(t, e)
		theta, err := e.Theta(utilities)
		testsupport.NoError(t, err)
		first := utilityOf(arms, utilities, 0)
		size := 1.0 + math.Sqrt(floats.Dot(theta, theta))
		for i := range c.Len() {
			approx.Equal(t, c.ID(i), c.Utility(i, theta)-c.Utility(0, theta), utilityOf(arms, utilities, i)-first, 1e-5*size)
		}
	})
}

// utilityOf adds up what the user says of an arm.
func utilityOf(arms *catalogue.Table, utilities map[string]float64, row int) float64 {
	sum := 0.0
	for _, c := range arms.Columns {
		switch c.Kind { //nolint:exhaustive // the others have a default
		case catalogue.Number:
			sum += utilities[c.Name] * c.Numbers[row]
		case catalogue.Boolean:
			if c.Texts[row] == "true" {
				sum += utilities[c.Name]
			}
		case catalogue.Category:
			sum += utilities[c.Name+"="+c.Texts[row]]
		default:
		}
	}
	return sum
}
