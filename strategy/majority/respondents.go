package majority

import (
	"slices"

	"bestpick/choice"
)

// respondents holds back the answers of people who have not finished. Nothing that the race does
// depends on them: no question, no bet and no decision. So the questions of a respondent never depend
// on that respondent's own answers, whichever question the caller gives to whom.
type respondents struct {
	Held     map[string][]choice.Answer `json:"held,omitempty"`   // by name
	Closed   map[string]bool            `json:"closed,omitempty"` // names whose later answers only guide
	Complete int                        `json:"complete"`         // finished ones with answers, and answers without a name
	Entered  int                        `json:"entered"`          // their answers
}

// hold keeps an answer of a respondent until they finish. It reports false for one who has finished.
func (r *respondents) hold(a choice.Answer) bool {
	if r.Closed[a.Respondent] {
		return false
	}
	if r.Held == nil {
		r.Held = map[string][]choice.Answer{}
	}
	a.Question, a.Picks = slices.Clone(a.Question), slices.Clone(a.Picks)
	r.Held[a.Respondent] = append(r.Held[a.Respondent], a)
	return true
}

// close lets later answers of a respondent only guide. Answers without a name have no respondent.
func (r *respondents) close(name string) {
	if name == "" {
		return
	}
	if r.Closed == nil {
		r.Closed = map[string]bool{}
	}
	r.Closed[name] = true
}

// finish returns the answers of a respondent, who is from now on finished.
func (r *respondents) finish(name string) []choice.Answer {
	answers := r.Held[name]
	delete(r.Held, name)
	r.close(name)
	return answers
}

// each returns how many questions a respondent answers, on average.
func (r *respondents) each() float64 {
	if r.Complete == 0 {
		return 1
	}
	return float64(r.Entered) / float64(r.Complete)
}
