package study

import "time"

// A rival is the lead of another planner, as it was seen last. It ends at a time on the rival's clock; but if that
// was wrong, or has been set back since, the time may be far away on ours. So what counts besides is whether the
// rival is heard of.
type rival struct {
	until time.Time // when the lead ends, as it was seen
	since time.Time // when it was seen like that first
}

// silent reports whether a lead has not been prolonged for longer than leads last.
func (r *rival) silent(until, now time.Time) bool {
	if !until.Equal(r.until) || now.Before(r.since) {
		r.until, r.since = until, now
	}
	return now.Sub(r.since) > leadFor
}
