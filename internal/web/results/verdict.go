package results

import (
	"cmp"
	"math"
	"slices"

	"bestpick/checks"
	"bestpick/internal/study/overview"
	"bestpick/internal/web/respond"
	"bestpick/strategy"
)

// Leader returns the card of the leader, or nil before there is one, and where there is no favourite.
func (v View) Leader() *respond.Card {
	if !v.Verdict.HasLeader() || v.Verdict.Status == strategy.Cyclic.String() {
		return nil
	}
	return &respond.CardsOf(v.card, true, []int{v.Verdict.Leader})[0]
}

// Wins reports whether the leader is certified as best.
func (v View) Wins() bool { return v.Verdict.Status == certified }

// RunnerUp returns a sentence about the arm after the certified one, and how many people prefer it: by majority as
// counted, otherwise as the model estimates it.
func (v View) RunnerUp() string {
	if !v.Wins() || len(v.Verdict.Top) > 1 {
		return ""
	}
	if v.ByMajority() {
		return v.closestDuel()
	}
	list := v.Ranking()
	if v.TooEarly() || len(list) < 2 || !list[1].Estimated || list[1].Withdrawn {
		return ""
	}
	return v.Must("winner.runner-up", "name", list[1].Name, "people", int(math.Round(100*list[1].Estimate)))
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
	return v.Must("winner.runner-up-counted", "name", v.names()(closest.Arm), "won", v.Count(closest.Compared-closest.Chosen),
		"compared", v.Count(closest.Compared))
}

// Segments returns a sentence about each segment, and one if it is certified that they have no favourite in common.
func (v View) Segments() (sentences []string) {
	name := v.names()
	for _, s := range v.Verdict.Segments {
		if s.Leader < 0 {
			sentences = append(sentences, v.Must("segment.none", "segment", s.Segment))
			continue
		}
		sentences = append(sentences, v.Must("segment."+segmentState(s), "segment", s.Segment, "leader", v.Quote(name(s.Leader)),
			"count", v.Count(rivalsOf(s)), "people", v.Count(s.Respondents), "sure", v.Sure()))
	}
	if v.Verdict.SegmentsDiffer {
		sentences = append(sentences, v.Must("segment.differ", "sure", v.Sure()))
	}
	return sentences
}

// segmentState returns the end of the message key of a segment with a leader.
func segmentState(s strategy.SegmentVerdict) string {
	switch {
	case s.Status != strategy.Asking:
		return s.Status.String()
	case rivalsOf(s) == 1:
		return "one"
	}
	return "several"
}

// rivalsOf returns how many options besides the leader may be the favourite of a segment.
func rivalsOf(s strategy.SegmentVerdict) int { return max(0, len(s.Contenders)-1) + s.Others }

// A segmentTable compares the segments: a column for each, and a row for each option that may be the favourite of one.
type segmentTable struct {
	Segments []strategy.SegmentVerdict
	Rows     []segmentRow
	More     string // the number of omitted rows, as text
}

// A segmentRow has the standings of an option: the name of one for each segment, empty where it is not known.
type segmentRow struct {
	Name      string
	Standings []string

	leads, contends int // segments
}

// SegmentTable returns the segments side by side, or nil if the verdict has none. The options that lead most segments come first.
func (v View) SegmentTable() *segmentTable {
	const most = 20
	var arms []int
	for _, s := range v.Verdict.Segments {
		arms = append(arms, s.Contenders...)
	}
	slices.Sort(arms)
	t := &segmentTable{Segments: v.Verdict.Segments}
	name := v.names()
	for _, arm := range slices.Compact(arms) {
		row := segmentRow{Name: name(arm)}
		for _, s := range t.Segments {
			standing := segmentStanding(s, arm)
			row.Standings = append(row.Standings, standing)
			switch standing {
			case standingBest, standingLeader:
				row.leads++
			case standingPossible:
				row.contends++
			}
		}
		t.Rows = append(t.Rows, row)
	}
	slices.SortStableFunc(t.Rows, func(a, b segmentRow) int {
		return cmp.Or(cmp.Compare(b.leads, a.leads), cmp.Compare(b.contends, a.contends))
	})
	if more := len(t.Rows) - most; more > 0 {
		t.Rows, t.More = t.Rows[:most], v.Must("rows.more", "count", v.Count(more))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// segmentStanding returns the standing of an arm in a segment. It is empty if no respondent of the segment is complete,
// and for arms of which the verdict does not say whether they are among its further contenders.
func segmentStanding(s strategy.SegmentVerdict, arm int) string {
	switch {
	case s.Leader == arm && s.Status == strategy.Certified:
		return standingBest
	case s.Leader == arm && s.Status == strategy.Asking:
		return standingLeader
	case slices.Contains(s.Contenders, arm):
		return standingPossible
	case s.Leader < 0 || s.Others > 0:
		return ""
	}
	return standingBehind
}

// maxListedJudges is the number of judges on a page; the API lists more.
const maxListedJudges = 15

// HasJudges reports whether the study's page compares its respondents: for owners, if respondents
// compare texts or a model has answered.
func (v View) HasJudges() bool {
	return v.Owner() && (v.arms.Contexts != nil || v.overview != nil && v.overview.Models)
}

// Judged returns the listed judges, those with the most answers first.
func (v View) Judged() []checks.Judgement {
	if v.Judges == nil {
		return nil
	}
	return v.Judges.Judges[:min(len(v.Judges.Judges), maxListedJudges)]
}

// JudgesError returns the error probability of the comparison.
func (View) JudgesError() float64 { return overview.JudgesError }
