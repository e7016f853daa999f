package theory_test

import (
	"fmt"
	"math"

	"bestpick/choice"
	"bestpick/theory"
)

// How many pairs any strategy asks about, on average, to tell two arms apart. Each answer is a coin
// with probability σ(1) = 0.73, and 1/T* is its information against a fair one.
func ExampleProblem_CharacteristicTime() {
	arms, err := choice.NewCatalogue([]string{"a", "b"}, []string{"x"}, [][]float64{{1}, {0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := theory.Problem{Catalogue: arms, Theta: []float64{1}, K: 2, Delta: 0.05}
	c, err := p.CharacteristicTime(theory.Exact, theory.Automatic, 1e-3)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := 1 / (1 + math.Exp(-1))
	information := math.Ln2 + s*math.Log(s) + (1-s)*math.Log(1-s)
	fmt.Printf("T* = %.2f, 1/information = %.2f\n", c.Time, 1/information)
	fmt.Printf("at least %.0f questions at δ = %g\n", c.Time*p.BinaryDivergence(), p.Delta)
	// Output:
	// T* = 9.01, 1/information = 9.01
	// at least 24 questions at δ = 0.05
}
