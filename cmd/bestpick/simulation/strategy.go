package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bestpick/choice"
	"bestpick/cmd/bestpick/command"
	"bestpick/design"
	"bestpick/evidence"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/racing"
)

// The strategies that commands treat specially.
const (
	certified    = "racing"
	pairsOnly    = "glgape"
	rageGLM      = "rage-glm"
	topTwo       = "top-two"
	traceTheBest = "trace-the-best"
)

// arms returns the number of arms in a question.
func (c *Command) arms() int {
	switch {
	case c.K != 0:
		return c.K
	case c.asksPairs():
		return 2
	}
	return racing.Settings{}.WithDefaults().K
}

// asksPairs reports whether the strategy asks about pairs only.
func (c *Command) asksPairs() bool {
	return c.Strategy == pairsOnly || c.Strategy == rageGLM || c.Strategy == topTwo
}

// newStrategy returns the strategy of one run.
func (c *Command) newStrategy(catalogue *choice.Catalogue, seed uint64) (strategy.Strategy, error) {
	if c.Strategy == certified {
		return racing.New(catalogue, c.racingSettings(seed))
	}
	return baseline.New(c.Strategy, catalogue, c.baselineSettings(seed))
}

func (c *Command) racingSettings(seed uint64) racing.Settings {
	s := racing.Settings{
		K: c.arms(), Delta: c.Delta, Epsilon: c.Epsilon, Seed: seed, Offer: c.offer(),
		Model: racing.Model{
			Slots: slices.Contains(c.Model, "slots"), Intercepts: slices.Contains(c.Model, "intercepts"),
			Clicks: slices.Contains(c.Model, "clicks"),
		},
		LinearOnly: racing.LinearOnly{
			Budget: c.Budget, Verify: c.Verify, Fallback: c.Fallback, Top: c.top(), Prior: c.prior,
		},
	}
	if c.Assume == string(strategy.Majority) {
		s.Assume, s.Budget = strategy.Majority, 0 // a budget only limits the questions
	}
	if slices.Contains(c.Model, "segments") {
		for _, name := range simulate.Segments() {
			s.Model.Segments = append(s.Model.Segments, racing.Segment{Name: name, Share: 0.5})
		}
	}
	return s
}

func (c *Command) baselineSettings(seed uint64) baseline.Settings {
	s := baseline.Settings{
		K: c.arms(), Delta: c.Delta, Kappa: c.Kappa, Ridge: c.Lambda, Mu: c.Mu, Explore: c.Explore,
		Alpha: c.Alpha, Epsilon: c.Epsilon, Seed: seed,
	}
	if c.Explore == 0 {
		s.Explore = -1
	}
	if c.Criterion == "g" {
		s.Criterion = design.G
	}
	if c.TieBreak == "sum" {
		s.Ties = design.TiesSum
	}
	if c.Rho == "normalised" {
		s.Batches = baseline.Normalised
	}
	if c.Radius == "kazerouni-wein" {
		s.Radius = baseline.KazerouniWein
	}
	return s
}

// badTop is no number of best arms.
const badTop = racing.TopAll - 1

// top returns the setting of --top, badTop if it is neither all nor a number of arms.
func (c *Command) top() int {
	if c.Top == "all" {
		return racing.TopAll
	}
	n, err := strconv.Atoi(c.Top)
	if err != nil || n < 1 {
		return badTop
	}
	return n
}

// readPrior reads the answers of --prior, which must be about the arms of the instance.
func (c *Command) readPrior(arms *choice.Catalogue, s command.Streams) error {
	switch {
	case c.Prior == "":
		return nil
	case c.Strategy != certified:
		return errors.New("--prior is for racing")
	}
	source, err := command.OpenInput(c.Prior, c.Prior, s, c.Quiet)
	if err != nil {
		return err
	}
	defer source.Close()
	tally, err := recorded.ReadTally(recorded.Source{Reader: source, Name: c.Prior}, arms, c.offer(), table.Limits{})
	if err != nil {
		return err
	}
	c.prior, err = racing.NewPrior(arms, tally)
	return err
}

// addGuarantee adds to the report under which assumptions the verdicts hold, and where the paper's
// bound makes them, whether they do.
func (c *Command) addGuarantee(report *report, experiment simulate.Experiment, runs []simulate.Run) {
	switch c.Strategy {
	case certified:
		if c.Assume == string(strategy.Majority) {
			report.guarantee = fmt.Sprintf("more than %.3g of 100 people choose another arm with probability at most %g, "+
				"however often one looks, if people are drawn at random and whether they answer does not depend on what they would choose",
				50+100*evidence.Points(c.Epsilon), c.Delta)
			break
		}
		model := "one softmax linear in the features"
		if !c.offer().IsPlain() {
			model = "the softmax of what is offered, linear in the features"
		}
		if len(c.Model) > 0 {
			model += ", with " + strings.Join(c.Model, " and ")
		}
		report.guarantee = fmt.Sprintf("wrong by more than ε = %g with probability at most %g, however often one looks, "+
			"if picks follow %s and whether an answer arrives does not depend on it", c.Epsilon, c.Delta, model)
	case pairsOnly:
		report.guarantee = "assumptions hold: no (the questions depend on the answers)"
	case rageGLM:
		report.guarantee = fmt.Sprintf("wrong with probability at most %g if κ = %g is at most σ'(x'θ*) for every pair; "+
			"that is not checked",
			c.Delta, min(c.Kappa, 0.25))
	case topTwo:
		report.guarantee = "no guarantee"
	case traceTheBest:
		report.guarantee = fmt.Sprintf("wrong by more than ε = %g with probability at most %g if picks follow a Plackett–Luce model",
			c.Epsilon, c.Delta)
	}
	arms := experiment.Instance.Catalogue
	for i := len(runs) - 1; i >= 0 && report.guarantee == ""; i-- {
		bound := evidence.PaperBound{Dim: arms.Dim(), Arms: arms.Len(), Delta: c.Delta, Kappa: c.Kappa}
		if a, ok := experiment.Assumptions(runs[i], bound); ok {
			report.setAssumptions(a)
		}
	}
}
