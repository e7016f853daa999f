package choice

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// ErrNoPicks says that there is nothing to estimate from.
var ErrNoPicks = errors.New("there are no picks to estimate from")

// A ConstantError says that some parameters have no effect: their features are
// the same for all arms of every question, so no pick says anything about them.
type ConstantError struct{ Names []string }

func (e *ConstantError) Error() string {
	verb := "never differs"
	if len(e.Names) > 1 {
		verb = "never differ"
	}
	return fmt.Sprintf("%s %s between the alternatives of a task, so no pick tells about it; leave it out", list(e.Names), verb)
}

// A CollinearError says that a feature is a combination of others, the same one in
// every question, so that their effects cannot be told apart.
type CollinearError struct {
	Name   string
	Others []string
}

func (e *CollinearError) Error() string {
	return fmt.Sprintf("%s is a combination of %s in every task, so their effects cannot be told apart; leave one of them out", list([]string{e.Name}), list(e.Others))
}

// A SeparationError says that the estimate is infinite: along Direction the
// likelihood rises for ever, because no pick goes against it. Names are the
// parameters to blame. Where one feature is enough to separate, it is named alone
// or with others of which the same is true.
type SeparationError struct {
	Names     []string
	Together  bool // whether it takes all of Names to separate the picks
	Direction []float64
}

func (e *SeparationError) Error() string {
	how := "separates the picks: no pick goes against it"
	switch {
	case e.Together:
		how = "together separate the picks: no pick goes against their combination"
	case len(e.Names) > 1:
		how = "each separate the picks: no pick goes against them"
	}
	return fmt.Sprintf("%s %s, so the best estimate is infinite; leave it out, or use a ridge", list(e.Names), how)
}

// A ScaleError says that the values of a feature are so large or so small that
// their squares leave the range of numbers.
type ScaleError struct{ Name string }

func (e *ScaleError) Error() string {
	return fmt.Sprintf("the values of %s are too large or too small to compute with; change their unit", list([]string{e.Name}))
}

// A ConvergenceError says that the steps allowed were not enough.
type ConvergenceError struct{ Fit Fit }

func (e *ConvergenceError) Error() string {
	return fmt.Sprintf("no maximum of the likelihood was found in %d steps", e.Fit.Iterations)
}

// list joins names as a sentence does: "a", "b" and "c".
func list(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	if len(quoted) < 2 {
		return strings.Join(quoted, "")
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " and " + quoted[last]
}

// diagnose finds out whether the features are why the information cannot be
// inverted. Whether they vary and are independent does not depend on θ, so it
// looks at θ = 0, where no pick is near certain.
func (e *Estimator) diagnose(l Likelihood) error {
	names := l.Names()
	d := len(names)
	origin := make([]float64, d)
	if err := constant(l); err != nil {
		return err
	}
	l.Derivatives(origin, e.gradient, e.information)
	for k, name := range names {
		own := e.information.At(k, k)
		if !(own > 1e-280 && own < 1e280) {
			return &ScaleError{name}
		}
	}
	return collinear(names, e.information)
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

// separates reports whether moving along v hurts no pick and helps some.
func separates(l Likelihood, v []float64) bool {
	least, greatest := l.Margins(v)
	return greatest > 0 && least >= -separationTolerance*greatest
}

// separation describes a direction along which no pick is hurt.
func (e *Estimator) separation(l Likelihood, direction []float64) error {
	names := l.Names()
	found := &SeparationError{Direction: append([]float64(nil), direction...)}
	unit := make([]float64, len(names))
	for k, name := range names {
		unit[k] = 1
		least, greatest := l.Margins(unit)
		if (least >= 0 && greatest > 0) || (greatest <= 0 && least < 0) {
			found.Names = append(found.Names, name)
		}
		unit[k] = 0
	}
	if found.Names != nil {
		return found
	}
	found.Together = true
	l.Derivatives(unit, e.gradient, e.information)
	most := 0.0
	effect := make([]float64, len(names))
	for k, v := range direction {
		effect[k] = math.Abs(v) * math.Sqrt(e.information.At(k, k))
		most = max(most, effect[k])
	}
	for k, name := range names {
		if effect[k] > 0.01*most {
			found.Names = append(found.Names, name)
		}
	}
	return found
}
