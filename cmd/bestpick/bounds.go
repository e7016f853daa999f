package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"bestpick/cmd/bestpick/command"
	"bestpick/cmd/bestpick/simulation"
	"bestpick/design"
	"bestpick/internal/terminal"
	"bestpick/theory"
)

// boundsCommand computes theoretical bounds on the number of questions of an instance.
type boundsCommand struct {
	simulation.InstanceFlags `embed:""`
	command.JSONFlag         `embed:""`

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
func (c *boundsCommand) Run(s command.Streams) error {
	instance, err := c.Make()
	if err != nil {
		return command.Invalid(err)
	}
	if n := instance.Catalogue.Len(); n > maxBounded {
		return command.Invalid(fmt.Errorf("the bounds compare all pairs of arms: at most %[2]d arms, got %[1]d", n, maxBounded))
	}
	p := theory.Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: c.K, Delta: c.Delta}
	if err := p.Check(); err != nil {
		return command.Invalid(err)
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
	return c.Write(s.Out, report, report.text())
}

// showWork prints a progress line on a terminal if the computation may take long, and makes Ctrl-C print that
// it was interrupted. It returns a function to call at the end.
func (c *boundsCommand) showWork(p theory.Problem, s command.Streams) func() {
	const quick = 50 // arms
	shown := p.Catalogue.Len() > quick && !c.Quiet && terminal.Is(s.Err)
	if shown {
		_, _ = fmt.Fprintf(s.Err, "computing T* for %d arms …", p.Catalogue.Len()) // progress only
	}
	release := command.OnInterrupt(func() {
		os.Exit(command.Report(s.Err, command.Interrupted(errors.New("interrupted before the bounds were computed"))))
	})
	return func() {
		release()
		if shown {
			_, _ = fmt.Fprint(s.Err, "\r\033[K")
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
	method := map[string]theory.Method{
		"auto": theory.Automatic, "enumerate": theory.Enumerate,
		"generate": theory.Generate,
	}[c.Method]
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

// boundsReport is the JSON document of `bestpick bounds`, and the content of its text. A number is null if it is
// infinite or undefined; Reason says why.
type boundsReport struct {
	upperBounds

	Best    string  `json:"best"`
	Gap     float64 `json:"gap"`
	Kappa   float64 `json:"kappa"` // the true κ
	AtKappa struct {
		upperBounds

		Kappa float64 `json:"kappa"`
	} `json:"at_kappa"`

	LowerTheorem      *float64 `json:"lower_theorem"`
	LowerTheoremSharp *float64 `json:"lower_theorem_sharp"` // with the divergences themselves
	Reason            string   `json:"reason,omitempty"`

	CharacteristicTime        *float64 `json:"characteristic_time"`         // a lower bound on T*
	CharacteristicTimeReached *float64 `json:"characteristic_time_reached"` // an upper bound, by the mix
	CharacteristicGap         *float64 `json:"characteristic_gap"`          // between the two, relative
	Quadratic                 *float64 `json:"characteristic_time_quadratic"`
	CharacteristicReason      string   `json:"characteristic_reason,omitempty"`
	LowerBound                *float64 `json:"lower_bound"`    // T*·log(1/2.4δ)
	LowerBoundKL              *float64 `json:"lower_bound_kl"` // T*·kl(δ, 1−δ), which is larger
	MeasuredRatio             *float64 `json:"measured_ratio,omitempty"`
	MeasuredRatioKL           *float64 `json:"measured_ratio_kl,omitempty"`

	Mix        []mixedQuestion `json:"mix,omitempty"`
	Contenders []contender     `json:"contenders,omitempty"`

	title string
}

// upperBounds are the bounds of the theorems for one κ.
type upperBounds struct {
	Static   *float64 `json:"upper_static"`
	StaticG  *float64 `json:"upper_static_g"`
	Adaptive *float64 `json:"upper_adaptive"`
}

// mixedQuestion is a question of the best mix.
type mixedQuestion struct {
	Question []string `json:"question"`
	Share    float64  `json:"share"`
}

// contender is an arm that is hard to tell from the best.
type contender struct {
	Arm    string  `json:"arm"`
	Weight float64 `json:"weight"`
}

// number returns nil for values that JSON cannot represent.
func number(x float64) *float64 {
	if x-x != 0 {
		return nil
	}
	return &x
}

func (r *boundsReport) setCharacteristic(p theory.Problem, exact theory.Characteristic) {
	r.CharacteristicTime, r.CharacteristicTimeReached = number(exact.Time), number(exact.Reached)
	r.CharacteristicGap = number(exact.Gap())
	r.LowerBound, r.LowerBoundKL = number(exact.Time*p.LogError()), number(exact.Time*p.BinaryDivergence())
	for _, s := range exact.Mix {
		ids := make([]string, len(s.Question))
		for slot, arm := range s.Question {
			ids[slot] = p.Catalogue.ID(arm)
		}
		r.Mix = append(r.Mix, mixedQuestion{ids, s.Share})
	}
	for _, c := range exact.Contenders {
		r.Contenders = append(r.Contenders, contender{p.Catalogue.ID(c.Arm), c.Weight})
	}
}

func (r *boundsReport) text() string {
	var text command.Text
	text.Printf("%s: best arm %s, gap %.4g\n\nAt most, with probability 1 − δ (the paper's theorems)\n", r.title, r.Best, r.Gap)
	row := func(name string, cells ...string) {
		text.Printf("  %-34s", name)
		for _, cell := range cells {
			text.Printf(" %16s", cell)
		}
		text.Printf("\n")
	}
	row("", fmt.Sprintf("true κ = %.3g", r.Kappa), fmt.Sprintf("κ = %.3g", r.AtKappa.Kappa))
	row("static (XY)", questions(r.Static), questions(r.AtKappa.Static))
	row("static (G)", questions(r.StaticG), questions(r.AtKappa.StaticG))
	row("adaptive", questions(r.Adaptive), questions(r.AtKappa.Adaptive))
	if r.AtKappa.Kappa > r.Kappa {
		text.Printf("  The theorems need a κ no larger than the true one: the second column is no promise.\n")
	}
	if r.StaticG != nil {
		text.Printf("  Both columns have the paper's constants, " +
			"which rest on an estimate that does not always hold (docs/bounds.md).\n")
	}
	text.Printf("\nAt least, on average, to err with probability at most δ whatever θ is, with questions of K different arms\n")
	if r.LowerTheorem != nil {
		row("the paper's theorem", questions(r.LowerTheorem))
		row("its proof, divergences not estimated", questions(r.LowerTheoremSharp))
	} else {
		text.Printf("  the paper's theorem: none, because %s\n", r.Reason)
	}
	if r.CharacteristicTime == nil {
		text.Printf("  T*·log(1/2.4δ): none, because %s\n", r.CharacteristicReason)
		return text.String()
	}
	characteristic := func(name string, bound, ratio *float64) {
		cell := fmt.Sprintf("%16s", questions(bound))
		if ratio != nil {
			cell += fmt.Sprintf("   measured: %.2f times that", *ratio)
		}
		row(name, cell)
	}
	characteristic("T*·log(1/2.4δ)", r.LowerBound, r.MeasuredRatio)
	characteristic("T*·kl(δ, 1−δ)", r.LowerBoundKL, r.MeasuredRatioKL)
	text.Printf("\nCharacteristic time T* between %.6g and %.6g, a gap of %.2g %%",
		*r.CharacteristicTime, *r.CharacteristicTimeReached, 100**r.CharacteristicGap)
	if r.Quadratic != nil {
		text.Printf(" (quadratic form: %.6g)", *r.Quadratic)
	}
	text.Printf("\n")
	r.printMix(&text)
	return text.String()
}

// printMix lists the questions to ask most and the arms that make it hard.
func (r *boundsReport) printMix(text *command.Text) {
	const maxListed = 8
	text.Printf("  hardest to tell from %s:", r.Best)
	for _, c := range r.Contenders[:min(len(r.Contenders), maxListed)] {
		text.Printf(" %s %.3f", c.Arm, c.Weight)
	}
	text.Printf("\n  best mix of questions:  ")
	for at, q := range r.Mix {
		if at == maxListed || q.Share < 0.001 {
			text.Printf(" and %d more", len(r.Mix)-at)
			break
		}
		text.Printf(" {%s} %.3f", strings.Join(q.Question, " "), q.Share)
	}
	text.Printf("\n")
}

// questions writes a number of questions.
func questions(x *float64) string {
	switch {
	case x == nil:
		return "no bound"
	case *x >= 1e9:
		return fmt.Sprintf("%.3g", *x)
	default:
		return fmt.Sprintf("%.0f", math.Ceil(*x))
	}
}
