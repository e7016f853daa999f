package simulate

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

const (
	partWorthRounds = 30   // of estimating people and population in turn
	newtonSteps     = 8    // for one person, starting from the last round
	maxStep         = 2.0  // of one coefficient
	leastVariance   = 1e-4 // of a coefficient between people
)

// PartWorths estimates the θ of every respondent from recorded answers: a multinomial logit whose θ
// varies between people by a normal distribution with independent coefficients. People and population
// are estimated in turn (the EM algorithm, with each person's posterior approximated by a normal
// distribution around its mode). It returns the modes, in the order of the respondents, and their
// mean.
//
// Modes vary less than people do, because few answers are known of each.
func PartWorths(c *choice.Catalogue, answers []choice.Answer) (people [][]float64, mean []float64, err error) {
	byPerson, order := map[string][]choice.Answer{}, []string(nil)
	for _, a := range answers {
		if a.Respondent == "" {
			return nil, nil, errors.New("part-worths need the respondent of every answer")
		}
		if byPerson[a.Respondent] == nil {
			order = append(order, a.Respondent)
		}
		byPerson[a.Respondent] = append(byPerson[a.Respondent], a)
	}
	if len(order) < 2 {
		return nil, nil, errors.New("part-worths need at least two respondents")
	}
	d := c.Dim()
	mean, variance := make([]float64, d), make([]float64, d)
	for k := range variance {
		variance[k] = 1
	}
	people = make([][]float64, len(order))
	for i := range people {
		people[i] = make([]float64, d)
	}
	for range partWorthRounds {
		sum, squares := make([]float64, d), make([]float64, d)
		for i, name := range order {
			p := person{catalogue: c, answers: byPerson[name], mean: mean, variance: variance}
			covariance := p.fit(people[i])
			floats.Add(sum, people[i])
			for k := range squares {
				off := people[i][k] - mean[k]
				squares[k] += off*off + covariance.At(k, k)
			}
		}
		n := float64(len(order))
		for k := range mean {
			next := sum[k] / n
			variance[k] = max(squares[k]/n-(next-mean[k])*(next-mean[k]), leastVariance)
			mean[k] = next
		}
	}
	return people, mean, nil
}

// A person has answers, and a prior for θ.
type person struct {
	catalogue      *choice.Catalogue
	answers        []choice.Answer
	mean, variance []float64
}

// fit moves θ to the mode of the posterior and returns the covariance there.
func (p person) fit(theta []float64) *mat.SymDense {
	d := len(theta)
	covariance := mat.NewSymDense(d, nil)
	var factor mat.Cholesky
	var step mat.VecDense
	for range newtonSteps {
		gradient, information := p.derive(theta)
		if !factor.Factorize(information) || factor.SolveVecTo(&step, mat.NewVecDense(d, gradient)) != nil {
			break // the prior keeps it regular
		}
		longest := 0.0
		for k := range theta {
			longest = max(longest, math.Abs(step.AtVec(k)))
		}
		floats.AddScaled(theta, min(1, maxStep/max(longest, 1e-12)), step.RawVector().Data)
	}
	_ = factor.InverseTo(covariance)
	return covariance
}

// derive returns the gradient of the log-posterior, and its negative second derivative.
func (p person) derive(theta []float64) (gradient []float64, information *mat.SymDense) {
	d := len(theta)
	gradient, information = make([]float64, d), mat.NewSymDense(d, nil)
	for k := range theta {
		gradient[k] = (p.mean[k] - theta[k]) / p.variance[k]
		information.SetSym(k, k, 1/p.variance[k])
	}
	centred := make([]float64, d)
	for _, a := range p.answers {
		for slots, picked := range a.Steps() {
			arms := make(choice.Question, len(slots))
			for i, slot := range slots {
				arms[i] = a.Question[slot]
			}
			shares := choice.Probabilities(nil, p.catalogue.Utilities(nil, arms, theta))
			mean := make([]float64, d)
			for i, arm := range arms {
				floats.AddScaled(mean, shares[i], p.catalogue.Arm(arm))
			}
			floats.Add(gradient, p.catalogue.Arm(arms[picked]))
			floats.Sub(gradient, mean)
			for i, arm := range arms {
				floats.SubTo(centred, p.catalogue.Arm(arm), mean)
				information.SymRankOne(information, shares[i], mat.NewVecDense(d, centred))
			}
		}
	}
	return gradient, information
}
