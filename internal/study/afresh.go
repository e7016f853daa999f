package study

import (
	"cmp"
	"slices"
)

// An Afresh says how a plan begins anew: with a new strategy, which is told all outcomes that stand. Those
// of the questions of plans that were removed are told as answers to questions asked before.
type Afresh struct {
	// Arms is how many there were in the first plan of all. Those that have come since are heard of as such:
	// what made them come may be answers that are told now.
	Arms int `json:"arms"`

	// Seed is that of the new strategy: orders on the screen must not come again.
	Seed uint64 `json:"seed"`
}

// finishAfresh fills in the rest of a plan that begins afresh, once outcomes are told. more says that there are
// more to tell; then nothing ends yet.
func (r *runner) finishAfresh(study Study, plan *Plan, more bool) (err error) {
	plan.Upto = r.state.Upto
	reason := r.reason(study.Settings.Budget)
	switch {
	case study.State != Done && !more:
		plan.Done = reason
	case study.State == Done && study.Reason != Stopped:
		plan.Done = cmp.Or(reason, Lapsed)
	}
	if study.State == Open && reason == "" {
		plan.Questions, err = r.ask(new(deck).wanted(0, 0, r.state.Answers))
	}
	plan.Verdict = r.conclude(*plan).written()
	return err
}

// place gives a runner that has begun with a plan the number and positions that the plan has got.
func (r *runner) place(plan Plan) {
	r.state.Plans, r.state.Afresh = plan.Number, plan.Number
	r.state.Began, r.state.Next = plan.First, plan.First+Position(len(plan.Questions))
	clear(r.state.Out)
	for i, q := range plan.Questions {
		r.state.Out[plan.First+Position(i)] = slices.Clone(q)
	}
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
