package owner_test

import (
	"fmt"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/strategy"
)

// TestSentence: there is a sentence for each effect of an erasure on the verdict.
func TestSentence(t *testing.T) {
	verdict := func(status string, leader, possible int) study.Verdict {
		return study.Verdict{Status: status, Leader: leader, Contenders: make([]strategy.Standing, min(possible, 1)), Others: max(possible-1, 0)}
	}
	asking := func(leader, possible int) study.Verdict { return verdict("asking", leader, possible) }
	for _, c := range []struct {
		before, after study.Verdict
		reason        study.Reason
		want          string
	}{
		{verdict("certified", 1, 0), verdict("certified", 1, 0), study.Certified, "The verdict is the same: B is certified as best."},
		{verdict("certified", 1, 0), verdict("certified", 2, 0), study.Certified, "B was certified as best; without these answers C is."},
		{verdict("certified", 1, 0), asking(2, 1), study.Lapsed, "B was certified as best; without these answers nothing is certified, and C leads, 1 other is possible; the study can be opened again."},
		{asking(1, 3), verdict("certified", 1, 0), study.Certified, "Nothing was certified; without these answers B is certified as best."},
		{verdict("decided", 1, 0), verdict("decided", 1, 0), study.Refuted, "The verdict is the same: the answers do not fit the model, so nothing can be certified."},
		{verdict("decided", 1, 0), asking(1, 2), study.Lapsed, "The answers did not fit the model; those that are left do not refute it, and B leads, 2 others are possible; the study can be opened again."},
		{asking(1, 3), verdict("decided", 1, 0), study.Refuted, "Nothing was certified; the answers that are left do not fit the model, so nothing can be."},
		{verdict("cyclic", 1, 2), verdict("cyclic", 2, 2), study.Cyclic, "The verdict is the same: there is no favourite."},
		{verdict("certified", 1, 0), verdict("cyclic", 1, 2), study.Cyclic, "Without these answers it is certified that there is no favourite."},
		{verdict("cyclic", 1, 2), verdict("certified", 1, 0), study.Certified, "It was certified that there is no favourite; without these answers B is certified as best."},
		{verdict("cyclic", 1, 2), asking(1, 3), study.Lapsed, "It was certified that there is no favourite; without these answers nothing is certified, and B leads, 3 others are possible; the study can be opened again."},
		{asking(1, 3), asking(1, 3), "", "The verdict is the same: nothing is certified, and B leads, 3 others are possible."},
		{asking(1, 3), asking(2, 3), "", "Nothing was certified, and nothing is; now C leads, 3 others are possible."},
		{asking(1, 3), asking(1, 4), "", "Nothing was certified, and nothing is; now B leads, 4 others are possible."},
		{asking(-1, 0), asking(-1, 0), "", "There was no verdict yet, and there is none."},
	} {
		e := owner.Erasure{Skips: 1, Before: overview.Progress{Verdict: c.before}, After: overview.Progress{Verdict: c.after, Study: study.Study{Reason: c.reason}}}
		if got := e.Sentence(func(arm int) string { return fmt.Sprintf("%c", 'A'+arm) }); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		e.Skips = 0
		if got := e.Sentence(nil); got != "Nothing was recorded of this respondent, so nothing has changed." {
			t.Errorf("without data: %s", got)
		}
	}
}
