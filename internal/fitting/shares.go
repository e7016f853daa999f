package fitting

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// Shares are the predicted shares of the alternatives of a scenario.
type Shares struct {
	Scenario string    `json:"scenario,omitempty"`
	Shares   []Derived `json:"shares"`
}

// Shares reads scenarios and predicts the shares of their alternatives, which sum to 1. With the utilities
// u_j = x_j'θ, the log odds of alternative i and their gradient are
//
//	log(s_i/(1−s_i)) = u_i − log Σ_{j≠i} exp(u_j),   x_i − x̄,
//
// x̄ being the mean of the others weighted by exp(u_j). The interval is symmetric on this scale, so that it
// stays between 0 and 1. The file has the columns of the choices, without the outcome.
func (r *Result) Shares(source io.Reader, file string) ([]Shares, error) {
	scenarios, err := r.choices.Coding.ReadScenarios(source, file, r.form)
	if err != nil {
		return nil, err
	}
	var all []Shares
	for _, s := range scenarios {
		if len(s.Alternatives) < 2 {
			return nil, fmt.Errorf("%s: a scenario needs at least two alternatives, %q has one", file, s.Name)
		}
		shares := Shares{Scenario: s.Name}
		for i, name := range s.Alternatives {
			shares.Shares = append(shares.Shares, r.share(name, i, s.Features))
		}
		all = append(all, shares)
	}
	return all, nil
}

// share returns the share of alternative i.
func (r *Result) share(name string, i int, features [][]float64) Derived {
	others := slices.Delete(slices.Clone(features), i, i+1)
	utilities := make([]float64, len(others))
	for j, x := range others {
		utilities[j] = floats.Dot(x, r.estimate.Theta)
	}
	gradient := slices.Clone(features[i])
	for j, weight := range choice.Probabilities(nil, utilities) {
		floats.AddScaled(gradient, -weight, others[j])
	}
	logOdds, se := floats.Dot(features[i], r.estimate.Theta)-choice.LogSumExp(utilities), r.deltaMethod(gradient)
	share := logistic(logOdds)
	return Derived{name, share, share * logistic(-logOdds) * se, logistic(logOdds - quantile*se), logistic(logOdds + quantile*se)}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
