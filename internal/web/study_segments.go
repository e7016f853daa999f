package web

import (
	"bestpick/strategy"
)

// Segments returns a sentence about each segment, and one if they certainly have no favourite in common.
func (v studyView) Segments() (sentences []string) {
	name := v.names()
	for _, s := range v.Verdict.Segments {
		if s.Leader < 0 {
			sentences = append(sentences, v.must("segment.none", "segment", s.Segment))
			continue
		}
		sentences = append(sentences, v.must("segment."+segmentState(s), "segment", s.Segment, "leader", name(s.Leader),
			"count", v.Count(rivalsOf(s)), "people", v.Count(s.Respondents)))
	}
	if v.Verdict.SegmentsDiffer {
		sentences = append(sentences, v.must("segment.differ"))
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
