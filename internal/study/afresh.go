package study

// An Afresh says how a plan begins anew: with a new strategy, which is told all outcomes that stand. Those
// of the questions of plans that were removed are told as answers to questions asked before.
type Afresh struct {
	// Arms is how many there were in the first plan of all. Those that have come since are heard of as such:
	// what made them come may be answers that are told now.
	Arms int `json:"arms"`

	// Seed is that of the new strategy: orders on the screen must not come again.
	Seed uint64 `json:"seed"`
}

// Begin returns a study as it is after a plan that came in place of those before.
func (p Plan) Begin(s Study) Study {
	s.Version++
	s.Changed = p.At
	if p.Afresh != nil {
		s.Afresh = p.Number
	}
	if p.Done != "" {
		s.State, s.Reason = Done, p.Done
	}
	return s
}
