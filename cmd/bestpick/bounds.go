package main

import (
	"errors"
	"fmt"
	"os"

	"bestpick/design"
	"bestpick/internal/terminal"
	"bestpick/theory"
)

// boundsCommand computes theoretical bounds on the number of questions of an instance.
type boundsCommand struct {
	instanceFlags `embed:""`
	jsonFlag      `embed:""`

	K        int     `default:"3" min:"2" help:"Arms in a question."`
	Delta    float64 `default:"0.05" above:"0" below:"1" help:"Probability of error allowed."`
	Kappa    float64 `default:"0.5" above:"0" max:"1e100" help:"κ of the strategies, for the second column of upper bounds."`
	Beta     float64 `default:"0" min:"0" max:"1e100" help:"How far from the best the choice of questions is: within 1+β."`
	Alpha    float64 `default:"0.1" above:"0" below:"1" help:"α of the adaptive strategy."`
	Method   string  `default:"auto" enum:"auto,enumerate,generate" help:"Questions looked at for T*: auto, enumerate or generate."`
	Gap      float64 `default:"0.001" above:"0" below:"1" help:"How precisely T* is computed."`
	Measured float64 `default:"0" min:"0" help:"A mean number of questions, to compare with the lower bound (none)."`
	Quiet    bool    `help:"Show no progress."`
}

// Help is the long help of the command.
func (c *boundsCommand) Help() string {
	return `How many questions the paper's strategies take at most and any strategy takes at least, on average:

    bestpick bounds --instance sphere --n 20 --d 5 --k 3

The upper bounds are the paper's, for the true κ at θ* (without which the theorems have nothing to say) and for the κ that the
strategies are run with. T* is the characteristic time: a strategy that errs with probability at most δ, whatever θ is, asks at
least T*·log(1/2.4δ) questions of K different arms on average, and also at least T*·kl(δ, 1−δ), which is larger.`
}

// maxBounded is the number of arms for which the bounds take minutes.
const maxBounded = 2000

// Run computes and prints.
func (c *boundsCommand) Run(s streams) error {
	instance, err := c.make()
	if err != nil {
		return inputError{err}
	}
	if n := instance.Catalogue.Len(); n > maxBounded {
		return inputError{fmt.Errorf("the bounds compare all pairs of arms: at most %[2]d arms, got %[1]d", n, maxBounded)}
	}
	p := theory.Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: c.K, Delta: c.Delta}
	if err := p.Check(); err != nil {
		return inputError{err}
	}
	defer c.showWork(p, s)()
	report := &boundsReport{title: fmt.Sprintf("%s, K = %d, δ = %g", instance.Name, c.K, c.Delta)}
	best, gap := instance.Best()
	report.Best, report.Gap = instance.Catalogue.ID(best), gap
	if report.Kappa, err = p.Kappa(); err != nil {
		return err
	}
	if err := c.upper(p, report); err != nil {
		return err
	}
	c.lower(p, report)
	return c.write(s.out, report, report.printText)
}

// showWork prints a progress line on a terminal if the computation may take long, and makes Ctrl-C print that
// it was interrupted. It returns a function to call at the end.
func (c *boundsCommand) showWork(p theory.Problem, s streams) func() {
	const quick = 50 // arms
	shown := p.Catalogue.Len() > quick && !c.Quiet && terminal.Is(s.err)
	if shown {
		_, _ = fmt.Fprintf(s.err, "computing T* for %d arms …", p.Catalogue.Len()) // progress only
	}
	release := onInterrupt(func() {
		os.Exit(report(s.err, interruption{errors.New("interrupted before the bounds were computed")}))
	})
	return func() {
		release()
		if shown {
			_, _ = fmt.Fprint(s.err, "\r\033[K")
		}
	}
}

// upper fills in the upper bounds.
func (c *boundsCommand) upper(p theory.Problem, report *boundsReport) error {
	report.AtKappa.Kappa = c.Kappa
	oracle, err := p.Oracle()
	if err != nil {
		if errors.Is(err, theory.ErrTie) {
			err = nil // there are no bounds
		}
		return err
	}
	with := func(kappa float64) upperBounds {
		u := theory.Upper{Kappa: kappa, Beta: c.Beta, Alpha: c.Alpha, Oracle: oracle}
		xy, _ := p.UpperStatic(design.XY, u) // only a tie is an error
		g, _ := p.UpperStatic(design.G, u)
		adaptive, _ := p.UpperAdaptive(u)
		return upperBounds{number(xy), number(g), number(adaptive)}
	}
	report.upperBounds, report.AtKappa.upperBounds = with(report.Kappa), with(c.Kappa)
	return nil
}

// lower fills in the lower bounds.
func (c *boundsCommand) lower(p theory.Problem, report *boundsReport) {
	bound, sharp, err := p.LowerTheorem()
	if err != nil {
		report.Reason = err.Error()
	} else {
		report.LowerTheorem, report.LowerTheoremSharp = number(bound), number(sharp)
	}
	method := map[string]theory.Method{"auto": theory.Automatic, "enumerate": theory.Enumerate, "generate": theory.Generate}[c.Method]
	exact, err := p.CharacteristicTime(theory.Exact, method, c.Gap)
	if err != nil {
		report.CharacteristicReason = err.Error()
		return
	}
	report.setCharacteristic(p, exact)
	report.MeasuredRatio = c.ratio(report.LowerBound)
	report.MeasuredRatioKL = c.ratio(report.LowerBoundKL)
	if quadratic, err := p.CharacteristicTime(theory.Quadratic, method, c.Gap); err == nil {
		report.Quadratic = number(quadratic.Time)
	}
}

// ratio returns the measured mean in multiples of a lower bound, or nil if either is missing.
func (c *boundsCommand) ratio(bound *float64) *float64 {
	if c.Measured > 0 && bound != nil && *bound > 0 {
		return number(c.Measured / *bound)
	}
	return nil
}
