package results

import (
	"cmp"
	"slices"

	"bestpick/strategy"
)

// Segments returns a sentence about each segment, and one if they certainly have no favourite in common.
func (v View) Segments() (sentences []string) {
	name := v.names()
	for _, s := range v.Verdict.Segments {
		if s.Leader < 0 {
			sentences = append(sentences, v.Must("segment.none", "segment", s.Segment))
			continue
		}
		sentences = append(sentences, v.Must("segment."+segmentState(s), "segment", s.Segment, "leader", v.Quote(name(s.Leader)),
			"count", v.Count(rivalsOf(s)), "people", v.Count(s.Respondents)))
	}
	if v.Verdict.SegmentsDiffer {
		sentences = append(sentences, v.Must("segment.differ"))
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

// SegmentTable returns the segments side by side, or nil if the verdict has none. The options that lead most segments
// come first.
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
	return standingRefuted
}
