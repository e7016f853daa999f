package planning

import "time"

// A holder is the lease of another planner, as it was seen last. It ends at a time on the rival's clock; but if that
// was wrong, or has been set back since, the time may be far away on ours. So what counts besides is whether the
// rival is heard of.
type holder struct {
	until time.Time // when the lead ends, as it was seen
	since time.Time // when it was seen like that first
}

// silent reports whether a lead has not been prolonged for longer than leads last.
func (r *holder) silent(until, now time.Time) bool {
	if !until.Equal(r.until) || now.Before(r.since) {
		r.until, r.since = until, now
	}
	return now.Sub(r.since) > leaseFor
}
