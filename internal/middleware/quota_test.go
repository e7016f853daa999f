package middleware

import (
	"testing"
	"time"
)

// TestQuota: the headers say what is left of a burst, and reading them takes nothing.
func TestQuota(t *testing.T) {
	l, now := NewLimiter(5, 50), time.Unix(1000, 0)
	for _, step := range []struct {
		take int
		wait time.Duration
		want string
	}{
		{0, 0, `"respondent";r=50;t=0`},
		{1, 0, `"respondent";r=49;t=1`},
		{9, 0, `"respondent";r=40;t=2`},
		{40, 0, `"respondent";r=0;t=10`},
		{5, 0, `"respondent";r=0;t=10`},
		{0, 2 * time.Second, `"respondent";r=10;t=8`},
		{0, time.Minute, `"respondent";r=50;t=0`},
	} {
		now = now.Add(step.wait)
		for range step.take {
			l.Allow("anna", now)
		}
		for range 2 {
			if got := l.Quota("respondent", "anna", now); got.Get("Ratelimit") != step.want || got.Get("Ratelimit-Policy") != `"respondent";q=50;w=10` {
				t.Errorf("after %d more: %v, want %s", step.take, got, step.want)
			}
		}
	}
	for _, unlimited := range []*Limiter{nil, NewLimiter(0, 0)} {
		if got := unlimited.Quota("respondent", "anna", now); got != nil {
			t.Errorf("without a limit: %v", got)
		}
	}
}
