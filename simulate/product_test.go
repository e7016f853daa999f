package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
)

// productInstance has attributes with effects-coded levels, whose utilities are a random
// permutation of equal steps: from one level to the next 'step'.
func productInstance(tb testing.TB, attributes, levels int, step float64, seed uint64) simulate.Instance {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	var groups []choice.Group
	var theta []float64
	for a := range attributes {
		var g choice.Group
		for level := range levels {
			g.Options = append(g.Options, fmt.Sprintf("a%d=%d", a+1, level+1))
			row := make([]float64, levels-1)
			for k := range row {
				if k == level {
					row[k] = 1
				}
				if level == levels-1 {
					row[k] = -1
				}
			}
			g.Rows = append(g.Rows, row)
		}
		for k, place := range rng.Perm(levels)[:levels-1] {
			g.Features = append(g.Features, g.Options[k])
			theta = append(theta, step*(float64(place)-float64(levels-1)/2))
		}
		groups = append(groups, g)
	}
	c, err := choice.NewProduct(groups)
	if err != nil {
		tb.Fatal(err)
	}
	return simulate.Instance{Catalogue: c, Theta: theta}
}

func runProduct(tb testing.TB, instance simulate.Instance, c *choice.Catalogue, runs int, seed uint64) []simulate.Run {
	tb.Helper()
	done, err := simulate.Experiment{
		Instance: simulate.Instance{Catalogue: c, Theta: instance.Theta}, Runs: runs, Seed: seed,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return strategy.NewRacing(c, strategy.Settings{K: 4, Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(c, instance.Theta, rng) },
	}.Run(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return done
}

func TestX(t *testing.T) {
	in := productInstance(t, 8, 5, 1, 1)
	_, gap := in.Best()
	for _, r := range runProduct(t, in, in.Catalogue, 2, 1) {
		t.Log(gap, r.Questions, r.Certified, r.Correct, len(r.Shown))
	}
}
