package main

import (
	"errors"
	"fmt"

	"bestpick/design"
	"bestpick/theory"
)

// boundsCommand says what theory knows of an instance.
type boundsCommand struct {
	instanceFlags `embed:""`

	K      int     `default:"3" help:"Arms in a question (${default})."`
	Delta  float64 `default:"0.05" help:"Probability of error allowed (${default})."`
	Kappa  float64 `default:"0.5" help:"κ of the strategies, for the second column of upper bounds (${default})."`
	Beta   float64 `default:"0" help:"How far from the best the choice of questions is: within 1+β (${default})."`
	Alpha  float64 `default:"0.1" help:"α of the adaptive strategy (${default})."`
	Method string  `default:"auto" enum:"auto,enumerate,generate" help:"Questions looked at for T*: auto, enumerate or generate (${default})."`
	Gap    float64 `default:"0.001" help:"How precisely T* is computed (${default})."`
	JSON   bool    `name:"json" help:"Print one JSON document."`
}

// Help is the long help of the command.
func (c *boundsCommand) Help() string {
	return `How many questions the paper's strategies take at most and any strategy takes at least, on average:

    bestpick bounds --instance sphere --n 20 --d 5 --k 3

The upper bounds are given for the true κ of the instance, where the theorems hold, and for the κ that the strategies are run
with. T* is the characteristic time: no strategy that errs with probability at most δ asks fewer than T*·log(1/2.4δ) questions.`
}

// check refuses numbers that make no sense.
func (c *boundsCommand) check() error {
	switch {
	case !(c.Kappa > 0 && c.Kappa <= 1e100):
		return fmt.Errorf("--kappa: %v is not a positive number", c.Kappa)
	case !(c.Beta >= 0 && c.Beta <= 1e100):
		return fmt.Errorf("--beta: %v is not a number from 0", c.Beta)
	case !(c.Alpha > 0 && c.Alpha < 1):
		return fmt.Errorf("--alpha: %v does not lie between 0 and 1", c.Alpha)
	case !(c.Gap > 0 && c.Gap < 1):
		return fmt.Errorf("--gap: %v does not lie between 0 and 1", c.Gap)
	}
	return nil
}

// Run computes and prints.
func (c *boundsCommand) Run(s streams) error {
	if err := c.check(); err != nil {
		return inputError{err}
	}
	instance, name, err := c.make()
	if err != nil {
		return inputError{err}
	}
	p := theory.Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: c.K, Delta: c.Delta}
	if err := p.Check(); err != nil {
		return inputError{err}
	}
	report := &boundsReport{title: fmt.Sprintf("%s, K = %d, δ = %g", name, c.K, c.Delta)}
	best, gap := instance.Best()
	report.Best, report.Gap = instance.Catalogue.ID(best), gap
	if report.Kappa, err = p.Kappa(); err != nil {
		return err
	}
	if err := c.upper(p, report); err != nil {
		return err
	}
	c.lower(p, report)
	if c.JSON {
		return printJSON(s.out, report)
	}
	return report.printText(s.out)
}

// upper fills in the upper bounds.
func (c *boundsCommand) upper(p theory.Problem, report *boundsReport) error {
	with := func(kappa float64) (b upperBounds, err error) {
		u := theory.Upper{Kappa: kappa, Beta: c.Beta, Alpha: c.Alpha}
		var errs [3]error
		var xy, g, adaptive float64
		xy, errs[0] = p.UpperStatic(design.XY, u)
		g, errs[1] = p.UpperStatic(design.G, u)
		adaptive, errs[2] = p.UpperAdaptive(u)
		err = errors.Join(errs[:]...)
		if errors.Is(err, theory.ErrTie) {
			return upperBounds{}, nil
		}
		return upperBounds{number(xy), number(g), number(adaptive)}, err
	}
	var err, errUsed error
	report.upperBounds, err = with(report.Kappa)
	report.AtKappa.Kappa = c.Kappa
	report.AtKappa.upperBounds, errUsed = with(c.Kappa)
	return errors.Join(err, errUsed)
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
		report.Reason = err.Error() // a tie, or too few arms: it holds for all lower bounds
		return
	}
	quadratic, err := p.CharacteristicTime(theory.Quadratic, method, c.Gap)
	if err == nil {
		report.setCharacteristic(p, exact, quadratic)
	}
}
