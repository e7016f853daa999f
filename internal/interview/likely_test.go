package interview

import (
	"testing"

	"bestpick/strategy"
)

// TestLikely: a forecast never says more than 10 million, and says nothing while it is unknown.
func TestLikely(t *testing.T) {
	for want, f := range map[string]strategy.Forecast{
		"; 140 to 1001 answers in all, four times of five": {Known: true, Low: 39.5, Median: 200, High: 900.1},
		"; at least 140 answers in all, probably":          {Known: true, Low: 40, Median: 2e6, High: 5e6},
		"; at least 4100 answers in all, probably":         {Known: true, Low: 4000},
		"; more than 10 million answers, probably":         {Known: true},
		"; they may be too close to tell apart":            {Hopeless: true, Epsilon: 0.1},
		"":                                                 {Epsilon: 0.1},
	} {
		if got := likely(f, 100); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
