package replay

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"bestpick/internal/study"
)

// A session is a respondent who is not complete, see [study.Sessions].
type session struct {
	First   time.Time `json:"first"`   // time of their first outcome
	Number  int64     `json:"number"`  // of that outcome
	Settled int       `json:"settled"` // questions that they answered or skipped
}

// isPersonal reports whether an outcome belongs to the session of a respondent.
func (r *Replayer) isPersonal(o study.Outcome) bool {
	return r.State.Sessions != nil && o.Respondent != "" && (o.Kind == study.Answered || o.Kind == study.Skipped)
}

// enter begins the session of a respondent with their first outcome. If the session was over before
// the outcome, it completes the respondent.
func (r *Replayer) enter(o study.Outcome) error {
	if !r.isPersonal(o) {
		return nil
	}
	s, open := r.State.Open[o.Respondent]
	switch {
	case open && o.At.After(s.First.Add(r.State.Sessions.Length)):
		return r.finish(o.Respondent)
	case !open && !r.strategy.Finished(o.Respondent):
		if r.State.Open == nil {
			r.State.Open = map[string]session{}
		}
		r.State.Open[o.Respondent] = session{First: o.At, Number: o.Number}
		if !r.earliest.IsZero() && o.At.Before(r.earliest) {
			r.earliest = o.At
		}
	}
	return nil
}

// settle counts a question of a respondent. After the last one they are complete.
func (r *Replayer) settle(o study.Outcome) error {
	s, open := r.State.Open[o.Respondent]
	if !open || !r.isPersonal(o) {
		return nil
	}
	s.Settled++
	r.State.Open[o.Respondent] = s
	if each := r.State.Sessions.PerRespondent; each != study.NoLimit && s.Settled >= each {
		return r.finish(o.Respondent)
	}
	return nil
}

func (r *Replayer) finish(respondent string) error {
	delete(r.State.Open, respondent)
	return r.strategy.Finish(respondent)
}

// EndSessions completes the respondents whose sessions are over now, or all, and returns their
// number. Answers count after grace, and a session is over when all of its answers are counted.
// While more outcomes wait, and after the owner has closed the study, the time is that of the last
// counted outcome of a respondent.
func (r *Replayer) EndSessions(st study.Study, now time.Time, more, all bool) (int, error) {
	rule := r.State.Sessions
	if rule == nil {
		return 0, nil
	}
	now = now.Add(-max(0, st.Settings.Grace))
	if (more || st.Reason.Closed()) && r.counted.Before(now) {
		now = r.counted
	}
	next := rule.End(now, all)
	ended, err := r.complete(next)
	if ended > 0 || all {
		r.State.Sessions = &next
	}
	return ended, err
}

// complete completes the respondents whose sessions a plan ends, in the order of their first outcomes,
// and returns their number.
func (r *Replayer) complete(by study.Sessions) (int, error) {
	if !by.All && r.nextSession().After(by.Until) {
		return 0, nil
	}
	over := slices.Collect(maps.Keys(r.State.Open))
	if !by.All {
		over = slices.DeleteFunc(over, func(name string) bool { return r.State.Open[name].First.After(by.Until) })
	}
	slices.SortFunc(over, func(a, b string) int { return cmp.Compare(r.State.Open[a].Number, r.State.Open[b].Number) })
	for _, name := range over {
		if err := r.finish(name); err != nil {
			return 0, err
		}
	}
	r.earliest = time.Time{}
	return len(over), nil
}

// nextSession returns the time of the earliest first outcome of a session, or an earlier one. Without
// sessions it is far in the future.
func (r *Replayer) nextSession() time.Time {
	if r.earliest.IsZero() {
		r.earliest = time.Unix(1<<40, 0)
		for _, s := range r.State.Open {
			if s.First.Before(r.earliest) {
				r.earliest = s.First
			}
		}
	}
	return r.earliest
}

// SessionsOver reports whether the next plan would complete a respondent.
func (r *Replayer) SessionsOver(st study.Study, now time.Time) bool {
	rule := r.State.Sessions
	return rule != nil && len(r.State.Open) > 0 && !r.nextSession().After(now.Add(-max(0, st.Settings.Grace)-rule.Length))
}
