package main

import (
	"fmt"
	"io"
	"math"

	"bestpick/internal/instances"
	"bestpick/internal/terminal"
	"bestpick/theory"
)

// enoughQuestions is the number of questions that a run should stay below where --max-questions sets
// no limit.
const enoughQuestions = 1_000_000

// warnOfTie writes a warning if the best arm and its closest rival are tied or nearly tied:
// even the lower bound on the questions that any strategy needs exceeds the limit of a run.
func (c *simulateCommand) warnOfTie(own instances.Instance, w io.Writer) {
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
	_, _ = fmt.Fprintf(w, "Warning: the two best arms, %s and %s, are %s (utilities %.2g apart): %s. %s. To accept an arm that is almost as good, set --epsilon.\n",
		terminal.Visible(own.Catalogue.ID(rival.Best)), terminal.Visible(own.Catalogue.ID(rival.Arm)), how, rival.Gap, need, end)
}
