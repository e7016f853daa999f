package catalogue_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/catalogue"
	"bestpick/catalogue/encode"
	"bestpick/internal/approx"
)

func TestEffectsInTheUsersWords(t *testing.T) {
	e, _ := encodeTable(t, tableOf(numbers("price", 1, 3, 3, 1, 5), categories("brand", "acme", "hal", "acme", "zeta", "hal"), booleans("wifi", "yes", "no", "no", "no", "yes")))
	theta, err := e.Theta(map[string]float64{"price": -0.31, "brand=acme": 0.8, "brand=hal": -0.5, "brand=zeta": -0.3, "wifi": 1.25})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(e.Effects(theta))
	if got != "[price −0.31 per unit brand=acme +0.8 against average brand=hal −0.5 against average brand=zeta −0.3 against average wifi +1.25 true against false]" {
		t.Error(got)
	}
}

// TestEffectsOfAnEmbedding is the length of its part of θ.
func TestEffectsOfAnEmbedding(t *testing.T) {
	e, _ := encodeTable(t, tableOf(randomEmbedding(rand.New(rand.NewPCG(1, 1)), 20, 3)))
	theta, err := e.Theta(map[string]float64{"e[1]": -3, "e[3]": 4})
	if err != nil {
		t.Fatal(err)
	}
	effects := e.Effects(theta)
	if len(effects) != 1 || effects[0].String() != "e +5 per unit in its best direction" {
		t.Error(effects)
	}
}

// TestThetaTakesDifferences: utilities of levels that have another average are the same.
func TestThetaTakesDifferences(t *testing.T) {
	e, _ := encodeTable(t, phones())
	theta, err := e.Theta(map[string]float64{"brand=hal": 3})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{0, -1, 2, -1} {
		approx.Equal(t, e.Effects(theta)[i].String(), e.Effects(theta)[i].Utility, want, 1e-12)
	}
}

func TestThetaRefusesUnknownNames(t *testing.T) {
	e, _ := encodeTable(t, phones())
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

// drawUtilities draws one for every column and level, those of a category's levels adding up
// to zero.
func drawUtilities(t *rapid.T, e *encode.Encoding) map[string]float64 {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "utilities"), 1))
	utilities := map[string]float64{}
	for _, c := range e.Columns {
		switch c.Kind { //nolint:exhaustive // the others have a default
		case catalogue.Number:
			utilities[c.Column] = rng.NormFloat64() / c.Scale
		case catalogue.Boolean:
			utilities[c.Column] = rng.NormFloat64()
		case catalogue.Category:
			last := 0.0
			for _, level := range c.Levels[1:] {
				u := rng.NormFloat64()
				utilities[c.Column+"="+level] = u
				last -= u
			}
			utilities[c.Column+"="+c.Levels[0]] = last
		default:
		}
	}
	return utilities
}

// TestEffectsUndoTheta where nothing is left out: what is has no effect of its own.
func TestEffectsUndoTheta(t *testing.T) {
	whole := rapid.Custom(drawTable).Filter(func(arms *catalogue.Table) bool {
		e, err := encode.NewEncoding(arms, 0)
		return err == nil && len(e.LeftOut) == 0
	})
	rapid.Check(t, func(t *rapid.T) {
		e, _ := encodeTable(t, whole.Draw(t, "arms"))
		utilities := drawUtilities(t, e)
		theta, err := e.Theta(utilities)
		if err != nil {
			t.Fatal(err)
		}
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
		arms := drawTable(t)
		e, c := encodeTable(t, arms)
		utilities := drawUtilities(t, e)
		theta, err := e.Theta(utilities)
		if err != nil {
			t.Fatal(err)
		}
		first := utilityOf(arms, utilities, 0)
		size := 1.0 + math.Sqrt(dot(theta, theta))
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
