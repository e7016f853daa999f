package encode_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/testsupport"
)

// incomplete are arms with missing values in every kind of column. Prices 1, 1, 1, 3, 3, 3 have mean 2 and
// standard deviation 1.
func incomplete() *catalogue.Table {
	return cataloguetest.TableOf(
		cataloguetest.IDs("a", "b", "c", "d", "e", "f", "g", "h"),
		cataloguetest.Numbers("price", 1, 3, math.NaN(), 3, math.NaN(), 1, 1, 3),
		cataloguetest.Booleans("wifi", "yes", "", "no", "yes", "no", "no", "yes", "no"),
		cataloguetest.Categories("brand", "acme", "hal", "acme", "", "hal", "acme", "hal", "hal"),
	)
}

// TestMissingValues: an arm without a number gets the mean and an indicator, one without a truth the
// middle and an indicator, one without a level the level (missing).
func TestMissingValues(t *testing.T) {
	e, c := cataloguetest.EncodeTable(t, incomplete())
	if diff := cmp.Diff([]string{"price", "price=(missing)", "wifi", "wifi=(missing)", "brand=acme", "brand=hal"},
		e.Features()); diff != "" {
		t.Fatal(diff)
	}
	want := [][]float64{
		{-1, 0, 1, 0, 1, 0},
		{1, 0, 0, 1, 0, 1},
		{0, 1, -1, 0, 1, 0},
		{1, 0, 1, 0, -1, -1},
		{0, 1, -1, 0, 0, 1},
		{-1, 0, -1, 0, 1, 0},
		{-1, 0, 1, 0, 0, 1},
		{1, 0, -1, 0, 0, 1},
	}
	for i, features := range want {
		for k, x := range features {
			approx.Equal(t, fmt.Sprintf("arm %s, feature %d", c.ID(i), k), c.Arm(i)[k]*e.Ball, x, 1e-6)
		}
	}
	text, err := json.Marshal(e)
	testsupport.NoError(t, err)
	again, err := encode.Parse(text)
	testsupport.NoError(t, err)
	if diff := cmp.Diff(e, again); diff != "" {
		t.Error(diff)
	}
}

// TestEffectsOfMissingValues: effects and utilities are each other's inverse, indicators included.
func TestEffectsOfMissingValues(t *testing.T) {
	e, c := cataloguetest.EncodeTable(t, incomplete())
	utilities := map[string]float64{
		"price": -0.5, "price=(missing)": 0.25, "wifi": 1, "wifi=(missing)": -2, "brand=acme": 1,
		"brand=hal": -1,
	}
	theta, err := e.Theta(utilities)
	testsupport.NoError(t, err)
	got := map[string]float64{}
	for _, effect := range e.Effects(theta) {
		name := effect.Column
		if effect.Level != "" {
			name += "=" + effect.Level
		}
		got[name] = effect.Utility
	}
	utilities["brand=(missing)"] = 0
	if diff := cmp.Diff(utilities, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	// c has neither a price nor another brand than a: a − c = −0.5·(1 − 2) − 0.25 + wifi.
	approx.Equal(t, "a − c", floats.Dot(c.Arm(0), theta)-floats.Dot(c.Arm(2), theta), 0.5-0.25+1, 1e-6)
}

// TestLaterMissingValues: a later arm may lack a value only if one of the first did.
func TestLaterMissingValues(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, incomplete())
	later := cataloguetest.TableOf(cataloguetest.IDs("i", "j"), cataloguetest.Numbers("price", math.NaN(), 2),
		cataloguetest.Booleans("wifi", "", "no"), cataloguetest.Categories("brand", "NA", "hal"))
	if _, err := e.Encode(later); err != nil {
		t.Error(err)
	}
	complete, _ := cataloguetest.EncodeTable(t, cataloguetest.Phones())
	if _, err := complete.Encode(later); err == nil ||
		!strings.Contains(err.Error(), `arms.csv:1: column "price": the value is missing`) {
		t.Error(err)
	}
}

// TestPerOption: arms without attributes have a utility each, under their label or else their id.
func TestPerOption(t *testing.T) {
	labels := catalogue.Column{Name: "headline", Kind: catalogue.Label, Texts: []string{"One", "Two", "Three"}}
	repeated := catalogue.Column{Name: "headline", Kind: catalogue.Label, Texts: []string{"One", "Two", "One"}}
	for _, test := range []struct {
		arms  *catalogue.Table
		names []string
	}{
		{cataloguetest.TableOf(cataloguetest.IDs("x", "y", "z")), []string{"option=x", "option=y", "option=z"}},
		{cataloguetest.TableOf(labels), []string{"option=One", "option=Two", "option=Three"}},
		{cataloguetest.TableOf(repeated), []string{"option=1", "option=2", "option=3"}},
		{cataloguetest.TableOf(labels, cataloguetest.Numbers("price", 5, 5, 5)), []string{"option=One", "option=Two", "option=Three"}},
	} {
		e, c := cataloguetest.EncodeTable(t, test.arms)
		if !e.PerOption() || c.Dim() != 2 {
			t.Fatalf("%d features", c.Dim())
		}
		utilities := map[string]float64{}
		for i, name := range test.names {
			utilities[name] = float64(i * i)
		}
		theta, err := e.Theta(utilities)
		testsupport.NoError(t, err)
		for i := range test.names {
			approx.Equal(t, fmt.Sprintf("utility of option %d", i), floats.Dot(c.Arm(i), theta)-floats.Dot(c.Arm(0), theta),
				float64(i*i), 1e-6)
		}
		if warnings := e.Warnings(test.arms, c); len(warnings) != 1 ||
			!strings.Contains(warnings[0].Text, "the options have no attributes, so each of the 3 is learned on its own") {
			t.Error(warnings)
		}
		if _, err := e.Append(c, test.arms); err == nil || !strings.Contains(err.Error(), "no options can be added") {
			t.Error(err)
		}
	}
}

func TestEffectsInTheUsersWords(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("price", 1, 3, 3, 1, 5),
		cataloguetest.Categories("brand", "acme", "hal", "acme", "zeta", "hal"),
		cataloguetest.Booleans("wifi", "yes", "no", "no", "no", "yes")))
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
