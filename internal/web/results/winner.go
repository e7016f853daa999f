package results

import (
	"math"
	"slices"

	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/web/respond"
	"bestpick/strategy"
)

// ShowsContenders reports whether there are numbers about contenders, which may still be best: by majority, once people
// have compared one with the leader, and otherwise once estimates say something.
func (v View) ShowsContenders() bool {
	if v.ByMajority() {
		isCompared := func(c strategy.Standing) bool { return c.Chosen > 0 }
		return v.Study.Reason != study.Cyclic && slices.ContainsFunc(v.Verdict.Contenders, isCompared)
	}
	return len(v.Verdict.Contenders) > 0 && !v.TooEarly()
}

// TooEarly reports whether estimates under the model say nothing yet: there are few answers, or they are separated, so
// that an estimate or its standard error is larger than any plausible taste.
func (v View) TooEarly() bool {
	const leastAnswers, mostUtility = 10, 10 // utility 10 is odds of 22,000 to 1
	if v.Verdict.Status == certified {
		return false
	}
	if v.Verdict.Answered < leastAnswers {
		return true
	}
	if !v.ByMajority() {
		for _, c := range v.Verdict.Contenders {
			if math.Abs(c.Lead) > mostUtility {
				return true
			}
		}
	}
	if v.overview == nil {
		return false
	}
	for _, w := range v.overview.Utilities {
		if math.Abs(w.Utility) > mostUtility || w.Error > mostUtility {
			return true
		}
	}
	return false
}

// Winner returns the card of the certified arm, or nil.
func (v View) Winner() *respond.Card {
	if v.Verdict.Status != certified || v.Verdict.Leader < 0 {
		return nil
	}
	return &respond.CardsOf(v.card, true, []int{v.Verdict.Leader})[0]
}

// RunnerUp returns a sentence about the arm after the certified one, and how many people prefer it: by majority as
// counted, otherwise as the model estimates it.
func (v View) RunnerUp() string {
	if v.Winner() == nil {
		return ""
	}
	if v.ByMajority() {
		return v.closestDuel()
	}
	list := v.Ranking()
	if v.TooEarly() || len(list) < 2 || !list[1].Estimated || list[1].Withdrawn {
		return ""
	}
	preferred := 1 / (1 + math.Exp(-list[1].Utility))
	return v.Must("winner.runner-up", "name", list[1].Name, "people", int(math.Round(100*preferred)))
}

// closestDuel returns a sentence about the arm with the largest share of answers that preferred it to the winner. It is
// empty if no arm was compared with the winner often enough.
func (v View) closestDuel() string {
	const least = 10 // comparisons
	var closest overview.Duel
	share := func(d overview.Duel) float64 { return float64(d.Chosen+1) / float64(d.Compared+2) } // few comparisons say little
	if v.overview != nil {
		for _, d := range v.overview.Duels {
			if d.Compared >= least && !slices.Contains(v.Study.Withdrawn, d.Arm) && (closest.Compared == 0 || share(d) > share(closest)) {
				closest = d
			}
		}
	}
	if closest.Compared == 0 {
		return ""
	}
	return v.Must("winner.runner-up-counted", "name", v.names()(closest.Arm), "chosen", v.Count(closest.Chosen), "compared", v.Count(closest.Compared))
}

// Rivals returns the cards of the first contenders of an open study, if there are pictures to show.
func (v View) Rivals() []respond.Card {
	const most = 6
	var arms []int
	for _, c := range v.contenders() {
		if len(arms) < most {
			arms = append(arms, c.Arm)
		}
	}
	rivals := respond.CardsOf(v.card, true, arms)
	if !slices.ContainsFunc(rivals, func(c respond.Card) bool { return c.Picture != "" }) {
		return nil
	}
	return rivals
}
