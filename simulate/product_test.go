package simulate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// productInstance has attributes with effects-coded levels, whose utilities are a random
// permutation of equal steps.
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
	c := must(choice.NewProduct(groups))
	return simulate.Instance{Catalogue: c, Theta: theta}
}

// runProduct runs the certified strategy at δ = 0.05 with questions of four profiles.
func runProduct(tb testing.TB, in simulate.Instance, runs int) []simulate.Run {
	tb.Helper()
	done, err := simulate.Experiment{
		Instance: in, Runs: runs, Seed: 1,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(in.Catalogue, racing.Settings{K: 4, Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(in.Catalogue, in.Theta, rng) },
	}.Run(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return done
}

// Small products are decided right by simulation as by enumeration: the best profile is the
// best of all profiles.
func TestProductStudy(t *testing.T) {
	in := productInstance(t, 5, 4, 1, 1)
	best, gap := in.Best()
	for arm := range in.Catalogue.Len() {
		if in.Catalogue.Utility(arm, in.Theta) > in.Catalogue.Utility(best, in.Theta)+1e-9 {
			t.Fatalf("%s is better than %s", in.Catalogue.ID(arm), in.Catalogue.ID(best))
		}
	}
	approx.Equal(t, "gap", gap, 1, 1e-9)
	for _, run := range runProduct(t, in, 3) {
		if !run.Certified || !run.Correct || run.Leader != best {
			t.Errorf("run %d: certified %v, correct %v after %d questions", run.Number, run.Certified, run.Correct, run.Questions)
		}
	}
}
