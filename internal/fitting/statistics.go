package fitting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"bestpick/choice"
)

// Statistics say how well a model without a ridge fits.
type Statistics struct {
	DegreesOfFreedom int     `json:"degrees_of_freedom"` // free parameters k
	AIC              float64 `json:"aic"`                // 2k − 2·LL
	BIC              float64 `json:"bic"`                // k·log n − 2·LL, with n tasks or votes
	Rho              float64 `json:"mcfadden_r2"`        // 1 − LL/LL₀ against equal shares
	AdjustedRho      float64 `json:"mcfadden_r2_adjusted"`

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

// statistics returns the statistics of an estimate.
func (d *Data) statistics(e *choice.Estimate) *Statistics {
	free := len(e.Names)
	if d.items > 0 {
		free-- // the utilities sum to zero
	}
	k := float64(free)
	s := &Statistics{
		DegreesOfFreedom: free,
		AIC:              2*k - 2*e.LogLikelihood,
		BIC:              k*math.Log(float64(d.tasks)) - 2*e.LogLikelihood,
		Rho:              1 - e.LogLikelihood/e.NullLogLikelihood,
		AdjustedRho:      1 - (e.LogLikelihood-k)/e.NullLogLikelihood,
		EqualShares:      likelihoodRatio(e.LogLikelihood, e.NullLogLikelihood, free),
	}
	if d.labels == nil {
		return s
	}
	shares, err := new(choice.Estimator).Estimate(d.labels)
	if err != nil {
		return s // an alternative is never picked, or always
	}
	s.Constants = &ConstantsOnly{LogLikelihood: shares.LogLikelihood, Rho: 1 - e.LogLikelihood/shares.LogLikelihood}
	if d.nested {
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
