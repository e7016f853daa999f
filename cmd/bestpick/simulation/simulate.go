package simulation

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/terminal"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/majority"
	"bestpick/theory"
)

// Run simulates and prints.
func (c *Command) Run(s command.Streams) error {
	prepared, err := c.prepare(s)
	if err != nil {
		return command.Invalid(err)
	}
	own, experiment := prepared.own, prepared.experiment
	if c.Strategy == certified && c.Budget == 0 && c.top() == 1 {
		c.warnOfTie(own, s.Err)
	}
	bar := command.NewBar(int64(c.Runs), c.Strategy, c.Quiet, s, progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("runs"))
	_ = bar.RenderBlank() // progress only
	experiment.Done = func(simulate.Run) { _ = bar.Add(1) }
	ctx, stop := command.Context()
	defer stop()
	start := time.Now()
	runs, err := c.execute(ctx, experiment, s.Err)
	_ = bar.Finish()
	if err != nil {
		return err
	}
	if !c.Shard.IsWhole() {
		return c.endShard(ctx, len(runs), s.Out)
	}
	report := newReport(c, own, experiment.Instance, runs)
	report.Seconds = time.Since(start).Seconds()
	c.addGuarantee(report, experiment, runs)
	if err := c.Write(s.Out, report, report.text()); err != nil {
		return err
	}
	if len(runs) < c.Runs {
		return command.Interrupted(fmt.Errorf("interrupted after %d of %d runs", len(runs), c.Runs))
	}
	return nil
}

// enoughQuestions is the number of questions that a run should stay below where --max-questions sets
// no limit.
const enoughQuestions = 1_000_000

// warnOfTie writes a warning if the best arm and its closest rival are tied or nearly tied:
// even the lower bound on the questions that any strategy needs exceeds the limit of a run.
func (c *Command) warnOfTie(own Instance, w io.Writer) {
	limit, end := c.limit(), fmt.Sprintf("Runs end undecided after %d questions (--max-questions)", c.limit())
	if limit == 0 {
		limit, end = enoughQuestions, "Runs may not end: set --max-questions"
	}
	problem := theory.Problem{Catalogue: own.Catalogue, Theta: own.Theta, K: c.arms(), Delta: c.Delta}
	rival, ok := problem.Rival(c.Epsilon, c.Picks)
	if !ok || rival.Questions <= float64(limit) {
		return
	}
	how, need := "nearly tied", fmt.Sprintf("any strategy needs at least %.2g questions to tell them apart", rival.Questions)
	if math.IsInf(rival.Questions, 1) {
		how, need = "tied", "no number of questions tells them apart"
	}
	_, _ = fmt.Fprintf(w, "Warning: the two best arms, %s and %s, are %s (utilities %.2g apart): %s. %s. To accept an arm "+
		"that is almost as good, set --epsilon.\n",
		terminal.Visible(own.Catalogue.ID(rival.Best)), terminal.Visible(own.Catalogue.ID(rival.Arm)), how, rival.Gap, need, end)
}

// A simulation is what a command simulates.
type simulation struct {
	own        Instance
	experiment simulate.Experiment
}

// prepare checks the flags and reads the files.
func (c *Command) prepare(s command.Streams) (simulation, error) {
	if err := c.check(); err != nil {
		return simulation{}, err
	}
	own, err := c.Make()
	if err != nil {
		return simulation{}, err
	}
	if own.PartWorths != nil && !slices.Contains([]string{softmaxCrowd, "coefficients", "residual"}, c.Crowd) {
		return simulation{}, fmt.Errorf("--crowd must be mnl, coefficients or residual if --utilities has classes, got %s", c.Crowd)
	}
	if n := own.Catalogue.Len(); n > maxListed && c.Crowd != softmaxCrowd && c.Crowd != gaussianCrowd {
		return simulation{}, fmt.Errorf("--crowd %s has a utility for every arm: at most %[3]d arms, got %[2]d", c.Crowd, n, maxListed)
	}
	switch n := own.Catalogue.Len(); {
	case isTrouble(c.Crowd) && n > majority.MaxArms:
		return simulation{}, fmt.Errorf("--crowd %s has at most %d arms, got %d", c.Crowd, majority.MaxArms, n)
	case c.top() >= n:
		return simulation{}, fmt.Errorf("--top must be less than the number of arms, %d, got %s", n, c.Top)
	case c.K > n:
		return simulation{}, fmt.Errorf("--k must be at most the number of arms, %d, got %d", n, c.K)
	}
	if err := c.readPrior(own.Catalogue, s); err != nil {
		return simulation{}, err
	}
	if _, err := c.newStrategy(own.Catalogue, c.Seed); err != nil {
		return simulation{}, err
	}
	instance, people, err := c.makeCrowd(own)
	if err != nil {
		return simulation{}, err
	}
	if isTrouble(c.Crowd) {
		own.Instance, own.Encoding = instance, nil // arms with names only
	}
	return simulation{own, simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) { return c.newStrategy(instance.Catalogue, seed) },
		Crowd:    people,
		Picks:    c.Picks, Epsilon: c.Epsilon, Arrivals: c.Arrivals,
		Runs: c.Runs, Seed: c.Seed, MaxQuestions: c.limit(), Workers: c.Workers, Leaderboards: c.leaderboards(),
	}}, nil
}
