package study

import "time"

// MinSession is how long a respondent's session lasts at least, see [Sessions].
const MinSession = 30 * time.Minute

// Sessions says when respondents are complete, in a study with majority evidence: their answers are
// held back until then, and later ones are no evidence. The rule never depends on what a respondent
// picks. A respondent is complete
//
//   - as soon as Each questions of theirs are answered or skipped,
//   - when Length has passed since their first outcome; a plan that ends sessions says which, and
//   - when the study has spent its budget, or reached its deadline.
//
// Each and Length are the smallest values that the study has had. So after a change, or when all
// outcomes are counted again, no answer counts that followed the completion of its respondent.
type Sessions struct {
	Each   int           `json:"each,omitempty"` // NoLimit for no limit
	Length time.Duration `json:"length"`

	// Until ends the sessions whose first outcome is not later, after the outcomes of the plan are
	// counted. All ends all sessions.
	Until time.Time `json:"until,omitzero"`
	All   bool      `json:"all,omitempty"`
}

// Sessions returns the rule of a study with these settings, after an earlier rule; nil if there is
// none.
func (s Settings) Sessions(earlier *Sessions) *Sessions {
	next := Sessions{Each: s.Each, Length: max(MinSession, s.Lease)}
	if earlier == nil {
		return &next
	}
	if next.Each == NoLimit || earlier.Each != NoLimit && earlier.Each < next.Each {
		next.Each = earlier.Each
	}
	next.Length = min(next.Length, earlier.Length)
	return &next
}

// End returns the rule for a plan that ends the sessions that are over at a time, or all.
func (s Sessions) End(now time.Time, all bool) Sessions {
	s.Until, s.All = micro(now.Add(-s.Length)), all
	return s
}
