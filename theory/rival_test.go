package theory

import (
	"fmt"
	"math"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/simulate"
)

// TestRivalBoundsTheCharacteristicTime: the bound is at most T*·log(1/2.4δ). On the paper's
// instance, where two arms decide, it is at least a third of it.
func TestRivalBoundsTheCharacteristicTime(t *testing.T) {
	problems := map[string]Problem{}
	for seed := range uint64(4) {
		problems[fmt.Sprint("sphere ", seed)] = sphere(t, 6+int(seed), 3, 2+int(seed%2), seed)
	}
	instance := must(simulate.Soare(4, 0.1, 0))
	problems["soare"] = Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: 3, Delta: 0.05}
	for name, p := range problems {
		rival, ok := p.Rival(0, 1)
		if !ok {
			t.Fatal("there is no rival")
		}
		c := must(p.CharacteristicTime(Exact, Automatic, 0.01))
		exact := c.Reached * p.LogError()
		if !(rival.Questions <= exact) || name == "soare" && rival.Questions < exact/3 {
			t.Errorf("%s: at least %v questions, and T*·log(1/2.4δ) is %v", name, rival.Questions, exact)
		}
	}
}

// TestRivalOfTies: tied arms need infinitely many questions, unless they have the same features,
// or an arm within ε of the best will do.
func TestRivalOfTies(t *testing.T) {
	tied := problem(t, 2, []float64{1, 1}, []float64{1, 0}, []float64{0, 1}, []float64{0, 0})
	if r, ok := tied.Rival(0, 1); !ok || !math.IsInf(r.Questions, 1) || r.Best != 0 || r.Arm != 1 || r.Gap != 0 {
		t.Errorf("%+v", r)
	}
	// Any change of utilities is possible with three arms and two features, so its range is ε.
	r, ok := tied.Rival(0.1, 2)
	if !ok {
		t.Fatal("there is no rival")
	}
	approx.EqualRelative(t, "questions", r.Questions, 8*math.Log(1/(2.4*0.05))/(2*0.01), 1e-9)
	copies := problem(t, 2, []float64{1, 1}, []float64{1, 0}, []float64{1, 0}, []float64{0, 0})
	if r, ok := copies.Rival(0, 1); !ok || r.Arm != 2 || math.IsInf(r.Questions, 1) {
		t.Errorf("%+v", r)
	}
}

// TestRivalOfAProduct: the bound of a product is that of its profiles, listed.
func TestRivalOfAProduct(t *testing.T) {
	product := must(choice.NewProduct([]choice.Group{
		{Features: []string{"x", "y"}, Options: []string{"a", "b", "c"}, Rows: [][]float64{{1, 0}, {0, 1}, {-1, -1}}},
		{Features: []string{"z"}, Options: []string{"1", "2"}, Rows: [][]float64{{1}, {-1}}},
	}))
	theta := []float64{0.7, 0.2, 0.4}
	var rows [][]float64
	for arm := range product.Len() {
		rows = append(rows, product.Arm(arm))
	}
	got, _ := Problem{Catalogue: product, Theta: theta, K: 2, Delta: 0.05}.Rival(0.1, 1)
	want, _ := problem(t, 2, theta, rows...).Rival(0.1, 1)
	approx.EqualRelative(t, "questions", got.Questions, want.Questions, 1e-9)
	if got.Arm != want.Arm {
		t.Errorf("the rival is %d, want %d", got.Arm, want.Arm)
	}
}
