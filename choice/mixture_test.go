package choice_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// classesOf simulates people of classes, who answer each tasks each about size random alternatives.
type classesOf struct {
	shares []float64
	theta  [][]float64
	people int
	each   int
	size   int
}

// draw returns the records, the person of each task, and all alternatives with the pick first in its task.
func (c classesOf) draw(seed uint64) (records *choice.Records, person []int, rows [][]float64) {
	rng := rand.New(rand.NewPCG(seed, 17))
	d := len(c.theta[0])
	names := make([]string, d)
	for k := range names {
		names[k] = string(rune('a' + k))
	}
	var cells []float64
	var sizes, ranks []int
	for i := range c.people {
		theta, left := c.theta[0], rng.Float64()
		for k, share := range c.shares {
			if theta = c.theta[k]; left < share {
				break
			}
			left -= share
		}
		for range c.each {
			first := len(rows)
			utilities := make([]float64, c.size)
			for a := range c.size {
				x := make([]float64, d)
				for k := range x {
					x[k] = rng.NormFloat64()
				}
				rows, utilities[a] = append(rows, x), floats.Dot(x, theta)
			}
			pick := choice.SamplePick(rng, utilities)
			rows[first], rows[first+pick] = rows[first+pick], rows[first]
			for a := range c.size {
				cells = append(cells, rows[first+a]...)
				ranks = append(ranks, 1-min(a, 1))
			}
			sizes, person = append(sizes, c.size), append(person, 7*i) // numbers need not be dense
		}
	}
	return must(choice.NewRecords(names, cells, sizes, ranks)), person, rows
}

// logLikelihood is Σ_i log Σ_c π_c·L_i(θ_c), with the parameters of [choice.Classes.Estimate].
func (c classesOf) logLikelihood(parameters []float64, rows [][]float64) (sum float64) {
	classes, d := len(c.shares), len(rows[0])
	shares := choice.Probabilities(nil, append([]float64{0}, parameters[:classes-1]...))
	for i := range c.people {
		joint := make([]float64, classes)
		for k := range joint {
			theta := parameters[classes-1+k*d:][:d]
			joint[k] = math.Log(shares[k])
			for task := range c.each {
				var utilities []float64
				for _, x := range rows[(i*c.each+task)*c.size:][:c.size] {
					utilities = append(utilities, floats.Dot(x, theta))
				}
				joint[k] += utilities[0] - choice.LogSumExp(utilities)
			}
		}
		sum += choice.LogSumExp(joint)
	}
	return sum
}

var twoClasses = classesOf{
	shares: []float64{0.65, 0.35}, theta: [][]float64{{1, -1, 0.5}, {-1, 0.5, 0.5}}, people: 120,
	each: 8, size: 3,
}

// TestMixtureMaximum: at the estimate the log-likelihood, written out, has the value returned, a gradient of
// zero and the Hessian −Σ⁻¹, by differences. With h = 1e-4 a second difference has an error of about h² and a
// rounding error of 1e-12/h² = 1e-4, where the entries of the Hessian are about 50.
func TestMixtureMaximum(t *testing.T) {
	records, person, rows := twoClasses.draw(1)
	fitted := must(choice.Mixture{Classes: 2, Seed: 1}.Fit(records, person))
	e := fitted.Estimate
	approx.Equal(t, "log-likelihood", e.LogLikelihood, twoClasses.logLikelihood(e.Theta, rows), 1e-8)
	at := func(a int, by float64, b int, and float64) float64 {
		moved := slices.Clone(e.Theta)
		moved[a] += by
		moved[b] += and
		return twoClasses.logLikelihood(moved, rows)
	}
	const h = 1e-4
	var information mat.Dense
	if err := information.Inverse(e.Covariance); err != nil {
		t.Fatal(err)
	}
	for a := range e.Theta {
		approx.Equal(t, "gradient by "+e.Names[a], (at(a, h, a, 0)-at(a, -h, a, 0))/(2*h), 0, 1e-4)
		for b := range e.Theta {
			second := (at(a, h, b, h) - at(a, h, b, -h) - at(a, -h, b, h) + at(a, -h, b, -h)) / (4 * h * h)
			approx.Equal(t, "information of "+e.Names[a]+" and "+e.Names[b], information.At(a, b), -second, 0.01)
		}
	}
	sum := make([]float64, len(e.Theta))
	for score := range fitted.Scores {
		floats.Add(sum, score)
	}
	approx.EqualSlices(t, "sum of the scores", sum, make([]float64, len(sum)), 1e-6)
	mean := make([]float64, 2)
	for _, own := range fitted.Members {
		floats.AddScaled(mean, 1/float64(len(fitted.Members)), own)
	}
	approx.EqualSlices(t, "shares and mean membership", mean, fitted.Shares, 1e-8) // as EM leaves them
	if len(fitted.Members) != twoClasses.people || fitted.Shares[0] < fitted.Shares[1] {
		t.Errorf("%d members, shares %v", len(fitted.Members), fitted.Shares)
	}
}

// TestMixtureOfOneClass is the conditional logit.
func TestMixtureOfOneClass(t *testing.T) {
	records, person, _ := twoClasses.draw(2)
	one := must(choice.Mixture{Classes: 1}.Fit(records, person))
	want := must(new(choice.Estimator).Estimate(records))
	approx.EqualSlices(t, "θ", one.Theta[0], want.Theta, 1e-9)
	approx.Equal(t, "log-likelihood", one.Estimate.LogLikelihood, want.LogLikelihood, 1e-9)
	approx.EqualSlices(t, "errors", choice.StandardErrors(one.Estimate.Covariance), choice.StandardErrors(want.Covariance), 1e-9)
}

// TestMixtureWithWeights: tasks with the weight 2 count like tasks that are there twice.
func TestMixtureWithWeights(t *testing.T) {
	records, person, _ := twoClasses.draw(2)
	var twice, people []int
	weights := make([]float64, records.Tasks())
	for task := range weights {
		if weights[task] = 1; task%3 == 0 {
			weights[task] = 2
			twice, people = append(twice, task), append(people, person[task])
		}
		twice, people = append(twice, task), append(people, person[task])
	}
	got := must(choice.Mixture{Classes: 2}.Fit(records.Weighted(weights), person)).Estimate
	want := must(choice.Mixture{Classes: 2}.Fit(records.Select(twice), people)).Estimate
	approx.EqualSlices(t, "parameters", got.Theta, want.Theta, 1e-6)
	approx.EqualSlices(t, "errors", choice.StandardErrors(got.Covariance), choice.StandardErrors(want.Covariance), 1e-6)
}

// TestMixtureOfManyPeople: starts are compared on some people only, and every seed leads to the same maximum, near the
// truth: an error is about 0.04 here.
func TestMixtureOfManyPeople(t *testing.T) {
	many := twoClasses
	many.people = 700
	records, person, _ := many.draw(3)
	var first *choice.Classes
	for seed := range uint64(3) {
		fitted := must(choice.Mixture{Classes: 2, Seed: seed}.Fit(records, person))
		if first == nil {
			first = fitted
		}
		approx.EqualSlices(t, "parameters of another seed", fitted.Estimate.Theta, first.Estimate.Theta, 1e-6)
	}
	for k, theta := range first.Theta {
		approx.EqualSlices(t, "θ", theta, many.theta[k], 0.2)
		approx.Equal(t, "share", first.Shares[k], many.shares[k], 0.08)
	}
}

// TestMixtureWithoutMaximum: one class always picks the larger a, the other the smaller, so that both coefficients are
// infinite; a ridge makes them finite.
func TestMixtureWithoutMaximum(t *testing.T) {
	var cells []float64
	var sizes, ranks, person []int
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 40 {
		for range 5 {
			low, high := rng.Float64(), 1+rng.Float64()
			if i%2 == 0 {
				low, high = high, low
			}
			cells, sizes, ranks, person = append(cells, high, low), append(sizes, 2), append(ranks, 1, 0), append(person, i)
		}
	}
	records := must(choice.NewRecords([]string{"a"}, cells, sizes, ranks))
	_, err := choice.Mixture{Classes: 2}.Fit(records, person)
	if _, is := errors.AsType[*choice.MixtureError](err); !is {
		t.Errorf("got %v", err)
	}
	fitted := must(choice.Mixture{Classes: 2, Ridge: 0.1}.Fit(records, person))
	approx.EqualSlices(t, "shares", fitted.Shares, []float64{0.5, 0.5}, 0.01)
	if a, b := fitted.Theta[0][0], fitted.Theta[1][0]; !(a*b < -4) {
		t.Errorf("coefficients %v and %v", a, b)
	}
}
