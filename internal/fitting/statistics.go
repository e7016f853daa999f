package fitting

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"bestpick/choice"
	"bestpick/internal/recorded"
)

// Measures say how well a model without a ridge fits for its number of parameters.
type Measures struct {
	DegreesOfFreedom int     `json:"degrees_of_freedom"` // free parameters k
	AIC              float64 `json:"aic"`                // 2k − 2·LL
	BIC              float64 `json:"bic"`                // k·log n − 2·LL, with n tasks or votes
	Rho              float64 `json:"mcfadden_r2"`        // 1 − LL/LL₀ against equal shares
	AdjustedRho      float64 `json:"mcfadden_r2_adjusted"`
}

// Statistics say how well a model without a ridge fits.
type Statistics struct {
	Measures

	EqualShares LikelihoodRatio `json:"lr_test_equal_shares"`

	// Constants is the model with constants only, which gives each alternative its share in the data.
	// It is nil if alternatives have no names.
	Constants *ConstantsOnly `json:"constants_only,omitempty"`
}

// ConstantsOnly compares with the model with constants only.
type ConstantsOnly struct {
	LogLikelihood float64 `json:"log_likelihood"`
	Rho           float64 `json:"mcfadden_r2"`

	// Test is nil if the model does not include all constants, so that the models are not nested.
	Test *LikelihoodRatio `json:"lr_test,omitempty"`
}

// A LikelihoodRatio is the likelihood-ratio test against a nested model: 2·(LL − LL₀) has a χ² distribution
// if the nested model holds.
type LikelihoodRatio struct {
	Statistic        float64 `json:"statistic"`
	DegreesOfFreedom int     `json:"degrees_of_freedom"`
	P                float64 `json:"p"`
}

func likelihoodRatio(value, null float64, degrees int) LikelihoodRatio {
	statistic := max(0, 2*(value-null))
	p := 1.0
	if degrees > 0 {
		p = distuv.ChiSquared{K: float64(degrees)}.Survival(statistic)
	}
	return LikelihoodRatio{statistic, degrees, p}
}

// measures returns the measures of an estimate.
func (d *Data) measures(e *choice.Estimate) *Measures {
	free := len(e.Names)
	if len(d.items) > 0 && d.base == "" {
		free-- // the utilities sum to zero
	}
	k := float64(free)
	return &Measures{
		DegreesOfFreedom: free,
		AIC:              2*k - 2*e.LogLikelihood,
		BIC:              k*math.Log(float64(d.tasks)) - 2*e.LogLikelihood,
		Rho:              1 - e.LogLikelihood/e.NullLogLikelihood,
		AdjustedRho:      1 - (e.LogLikelihood-k)/e.NullLogLikelihood,
	}
}

// statistics returns the statistics of an estimate.
func (d *Data) statistics(e *choice.Estimate) *Statistics {
	s := &Statistics{Measures: *d.measures(e)}
	free := s.DegreesOfFreedom
	s.EqualShares = likelihoodRatio(e.LogLikelihood, e.NullLogLikelihood, free)
	if d.labels == nil {
		return s
	}
	shares, err := new(choice.Estimator).Estimate(d.labels)
	if err != nil {
		return s // an alternative is never picked, or always
	}
	s.Constants = &ConstantsOnly{LogLikelihood: shares.LogLikelihood, Rho: 1 - e.LogLikelihood/shares.LogLikelihood}
	if d.nested && free > len(shares.Names)-1 {
		test := likelihoodRatio(e.LogLikelihood, shares.LogLikelihood, free-(len(shares.Names)-1))
		s.Constants.Test = &test
	}
	return s
}

// A Derived is a number that is computed from the estimates, with the standard error of the delta method
// and an interval of 95%.
type Derived struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	SE    float64 `json:"se"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// WillingnessToPay returns what one unit of every other parameter is worth in units of the price parameter:
//
//	w = −θ_k/θ_p,   ∂w/∂θ_k = −1/θ_p,   ∂w/∂θ_p = θ_k/θ_p².
func (r *Result) WillingnessToPay(price string) ([]Derived, error) {
	names, theta := r.estimate.Names, r.estimate.Theta
	p := slices.Index(names, price)
	if p < 0 {
		return nil, fmt.Errorf("--wtp: there is no parameter %q; there are %s", price, strings.Join(names, ", "))
	}
	var all []Derived
	for k, name := range names {
		if k == p {
			continue
		}
		gradient := make([]float64, len(theta))
		gradient[k], gradient[p] = -1/theta[p], theta[k]/(theta[p]*theta[p])
		worth, se := -theta[k]/theta[p], r.deltaMethod(gradient)
		all = append(all, Derived{name, worth, se, worth - quantile*se, worth + quantile*se})
	}
	return all, nil
}

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
		did, itself := "lost", make([]float64, len(free.Names()))
		itself[slices.Index(free.Names(), item)] = 1
		if least, _ := free.Margins(itself); least >= 0 {
			did = "won"
		}
		return fmt.Errorf("%q %s every vote it was in, so its best utility is infinite; leave it out, or use --ridge", item, did)
	}
}

// A Holdout says how well a model predicts tasks that it was not fitted to.
type Holdout struct {
	Tasks             int     `json:"tasks"`
	Respondents       int     `json:"respondents,omitempty"`
	HitRate           float64 `json:"hit_rate"`        // share of the picks with the highest predicted share
	ChanceRate        float64 `json:"hit_rate_chance"` // of a random guess
	LogLikelihood     float64 `json:"log_likelihood"`
	NullLogLikelihood float64 `json:"log_likelihood_equal_shares"`
}

// HeldOut are tasks that a model is not fitted to.
type HeldOut struct {
	records     *choice.Records
	respondents int
}

// Split holds out a share of the respondents, drawn with the seed, or of the tasks if there are no
// respondents. It returns the data without them.
func (d *Data) Split(share float64, seed uint64) (*Data, *HeldOut, error) {
	units := d.tasks
	if d.respondents > 0 {
		units = d.respondents
	}
	count := int(math.Round(share * float64(units)))
	if count < 1 || count >= units {
		return nil, nil, fmt.Errorf("--holdout %v leaves %d of %d to one side; both need one", share, min(count, units-count), units)
	}
	held := make([]bool, units)
	for _, unit := range rand.New(rand.NewPCG(seed, 0)).Perm(units)[:count] {
		held[unit] = true
	}
	var fitted, unfitted, respondents []int
	for task := range d.tasks {
		unit := task
		if d.respondents > 0 {
			unit = d.choices.Respondents[task]
		}
		if held[unit] {
			unfitted = append(unfitted, task)
			continue
		}
		fitted = append(fitted, task)
		respondents = append(respondents, unit)
	}
	rest := &recorded.Choices{
		Records: d.choices.Records.Select(fitted), Tasks: len(fitted), Coding: d.choices.Coding, Hints: d.choices.Hints,
		Answers: d.choices.Answers,
	}
	rest.Rows = rest.Records.Alternatives()
	out := &HeldOut{records: d.choices.Records.Select(unfitted)}
	if d.respondents > 0 {
		rest.Respondents, rest.RespondentCount = respondents, units-count
		out.respondents = count
	}
	return ofChoices(rest, d.form), out, nil
}

// Predict returns how well a result predicts the tasks held out.
func (h *HeldOut) Predict(r *Result) *Holdout {
	theta := r.estimate.Theta
	return &Holdout{
		Tasks: h.records.Tasks(), Respondents: h.respondents,
		HitRate: h.records.HitRate(theta), ChanceRate: h.records.HitRate(make([]float64, len(theta))),
		LogLikelihood: h.records.LogLikelihood(theta), NullLogLikelihood: h.records.NullLogLikelihood(),
	}
}
