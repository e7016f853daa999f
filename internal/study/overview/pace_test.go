package overview

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPace: no answer is lost when spans grow, and their number is bounded.
func TestPace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pace
		at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		gaps := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 300).Draw(t, "gaps")
		for _, gap := range gaps {
			at = at.Add(time.Duration(gap))
			p.add(at)
		}
		sum := 0
		for _, n := range p.Answers {
			sum += n
		}
		end := p.Start.Add(time.Duration(len(p.Answers)) * p.Span)
		if sum != len(gaps) || len(p.Answers) > maxSpans || !end.After(at) || end.Sub(at) > p.Span {
			t.Fatalf("%d of %d answers in %d spans of %v from %v; the last answer is at %v", sum, len(gaps), len(p.Answers),
				p.Span, p.Start, at)
		}
	})
}
