package fitting

import (
	"errors"
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

// explainVotes states an estimator's error in terms of items and votes.
func explainVotes(free *choice.Free, err error) error {
	if groups := free.Groups(); len(groups) > 1 {
		first := free.Names()[groups[1][0]]
		return fmt.Errorf("the items fall into %d groups with no vote between them (%q is not in the largest), so "+
			"their utilities cannot be compared", len(groups), first)
	}
	var separated *choice.SeparationError
	switch {
	case !errors.As(err, &separated):
		return err
	case separated.Together:
		leader := free.Names()[floats.MaxIdx(separated.Direction)]
		return fmt.Errorf("a group of items with %q in it won every vote against the others, so the best utilities "+
			"are infinite; leave items out, or use --ridge", leader)
	default:
		item := separated.Names[0]
		did := "lost"
		if least, _ := free.Margins(indicator(free.Names(), item)); least >= 0 {
			did = "won"
		}
		return fmt.Errorf("%q %s every vote it was in, so its best utility is infinite; leave it out, or use --ridge", item, did)
	}
}

// indicator returns the direction along which only the utility of one item moves.
func indicator(items []string, item string) []float64 {
	v := make([]float64, len(items))
	v[slices.Index(items, item)] = 1
	return v
}
