package fitting

import (
	"fmt"
	"slices"
	"strings"
)

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
