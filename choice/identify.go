package choice

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// ErrNoPicks reports that there is nothing to estimate from.
var ErrNoPicks = errors.New("there are no picks to estimate from")

// A ConstantError reports parameters without effect: their features are the same for all arms of
// every question, so no pick carries information about them.
type ConstantError struct{ Names []string }

// Error names the parameters and suggests a remedy.
func (e *ConstantError) Error() string {
	if len(e.Names) > 1 {
		return list(e.Names) + " never differ between the alternatives of a task, so no pick carries information about them; " +
			"leave them out"
	}
	return list(e.Names) + " never differs between the alternatives of a task, so no pick carries information about it; leave it out"
}

// A CollinearError reports a feature that is the same linear combination of others in every
// question, so that their effects cannot be separated.
type CollinearError struct {
	Name   string
	Others []string
}

// Error names the parameters and suggests a remedy.
func (e *CollinearError) Error() string {
	return fmt.Sprintf("%q is a combination of %s in every task, so their effects cannot be separated; leave one of them "+
		"out", e.Name, list(e.Others))
}

// A SeparationError reports that the estimate is infinite: along Direction the likelihood rises
// without bound, because no pick goes against it. Names are the parameters to blame: all features
// that separate the picks alone or, if there is none, the parameters of Direction.
type SeparationError struct {
	Names     []string
	Together  bool // whether it takes all of Names to separate the picks
	Direction []float64
}

// Error names the parameters and suggests a remedy.
func (e *SeparationError) Error() string {
	switch {
	case len(e.Names) == 1:
		return list(e.Names) + " separates the picks: no pick goes against it, so the best estimate is infinite; leave it out, " +
			"or use a ridge"
	case e.Together:
		return list(e.Names) + " together separate the picks: no pick goes against their combination, so the best estimates " +
			"are infinite; leave some out, or use a ridge"
	default:
		return list(e.Names) + " each separate the picks: no pick goes against them, so the best estimates are infinite; leave " +
			"them out, or use a ridge"
	}
}

// A ScaleError reports a feature whose values are so large or so small that their squares leave the
// range of doubles.
type ScaleError struct{ Name string }

// Error names the parameters and suggests a remedy.
func (e *ScaleError) Error() string {
	return fmt.Sprintf("the values of %q are too large or too small to compute with; change their unit", e.Name)
}

// A ConvergenceError reports that a fit did not converge within MaxIterations steps.
type ConvergenceError struct{ Fit Fit }

// Error reports the number of steps.
func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("no maximum of the likelihood was found in %d steps", e.Fit.Iterations)
}

// list joins names as a sentence does: "a", "b" and "c". It shortens a long list to its first few.
func list(names []string) string {
	const maxNames = 6
	quoted := make([]string, 0, maxNames)
	for _, name := range names[:min(len(names), maxNames)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	if more := len(names) - maxNames; more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}

// diagnose determines why there is no estimate. Whether features vary and are independent does not
// depend on θ, so it checks that at θ = 0, where no pick is near certain. If they do and are, and
// there is no ridge, the picks may be separated along some direction that no single step followed
// closely enough.
func (e *Estimator) diagnose(l Likelihood, ridge float64, fit Fit, theta []float64) error {
	if err := constant(l); err != nil {
		return err
	}
	step := append([]float64(nil), e.step...)
	l.Derivatives(make([]float64, len(theta)), e.gradient, e.information)
	for k, name := range l.Names() {
		own := e.information.At(k, k)
		if !inRange(own) {
			return &ScaleError{name}
		}
		e.scale[k] = 1 / math.Sqrt(own)
	}
	if ridge > 0 {
		return &ConvergenceError{fit}
	}
	if err := collinear(l.Names(), e.information); err != nil {
		return err
	}
	if names := separators(l); names != nil {
		return &SeparationError{Names: names, Direction: step}
	}
	directions := [][]float64{step, theta}
	if s, ok := l.(interface{ separatingDirection() []float64 }); ok {
		directions = append(directions, s.separatingDirection())
	}
	for _, v := range directions {
		if len(v) > 0 && e.separates(l, v) {
			return e.separation(l, v)
		}
	}
	return &ConvergenceError{fit}
}

// constant finds the parameters that move no utility within any question.
func constant(l Likelihood) error {
	var names []string
	unit := make([]float64, len(l.Names()))
	for k, name := range l.Names() {
		unit[k] = 1
		if least, greatest := l.Margins(unit); least >= 0 && greatest <= 0 {
			names = append(names, name)
		}
		unit[k] = 0
	}
	if names == nil {
		return nil
	}
	return &ConstantError{names}
}

// collinear regresses every feature on those before it and returns the first that
// they explain.
func collinear(names []string, information *mat.SymDense) error {
	d := len(names)
	scaled := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			scaled.SetSym(i, j, information.At(i, j)/math.Sqrt(information.At(i, i))/math.Sqrt(information.At(j, j)))
		}
	}
	for k := 1; k < d; k++ {
		var earlier mat.Cholesky
		if !earlier.Factorize(scaled.SliceSym(0, k)) {
			continue
		}
		with := mat.NewVecDense(k, nil)
		for j := range k {
			with.SetVec(j, scaled.At(j, k))
		}
		var coefficients mat.VecDense
		if err := earlier.SolveVecTo(&coefficients, with); err != nil {
			continue
		}
		if 1-mat.Dot(with, &coefficients) > 1e3*pivotTolerance {
			continue
		}
		var others []string
		for j := range k {
			if math.Abs(coefficients.AtVec(j)) > 1e-6 {
				others = append(others, names[j])
			}
		}
		return &CollinearError{names[k], others}
	}
	return nil
}

// separates reports whether moving along v hurts no pick and helps some, up to rounding. Parameters
// with a negligible part in v are ignored: near a maximum in their own direction they are zero but
// for the rest of the last step.
func (e *Estimator) separates(l Likelihood, v []float64) bool {
	most := 0.0
	for k, x := range v {
		most = max(most, math.Abs(x)/e.scale[k])
	}
	clean := make([]float64, len(v))
	for k, x := range v {
		if math.Abs(x)/e.scale[k] > negligible*most {
			clean[k] = x
		}
	}
	for _, direction := range [][]float64{clean, v} {
		if least, greatest := l.Margins(direction); greatest > 0 && least >= -separationTolerance {
			return true
		}
	}
	return false
}

// separators returns the parameters each of which separates the picks alone.
func separators(l Likelihood) (names []string) {
	unit := make([]float64, len(l.Names()))
	for k, name := range l.Names() {
		unit[k] = 1
		least, greatest := l.Margins(unit)
		if (least >= 0 && greatest > 0) || (greatest <= 0 && least < 0) {
			names = append(names, name)
		}
		unit[k] = 0
	}
	return names
}

// separation describes a direction along which no pick is hurt.
func (e *Estimator) separation(l Likelihood, direction []float64) error {
	found := &SeparationError{Names: separators(l), Direction: append([]float64(nil), direction...)}
	if found.Names != nil {
		return found
	}
	found.Together = true
	l.Derivatives(make([]float64, len(direction)), e.gradient, e.information)
	most := 0.0
	effect := make([]float64, len(direction))
	for k, v := range direction {
		effect[k] = math.Abs(v) * math.Sqrt(e.information.At(k, k))
		most = max(most, effect[k])
	}
	for k, name := range l.Names() {
		if effect[k] > 0.01*most {
			found.Names = append(found.Names, name)
		}
	}
	return found
}
