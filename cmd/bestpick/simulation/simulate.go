package simulation

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/schollz/progressbar/v3"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/terminal"
	"bestpick/simulate"
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
