package racing

import (
	"slices"

	"bestpick/choice"
)

// respondents holds back the answers of people who have not finished. Nothing that the race does
// depends on them: no question, no bet and no decision. So the questions of a respondent never depend
// on that respondent's own answers, whichever question the caller gives to whom.
type respondents struct {
	Open     []openRespondent `json:"open,omitempty"` // in the order of their first answers
	Finished []string         `json:"finished,omitempty"`
	Complete int              `json:"complete"` // finished ones with answers, and answers without a name
	Entered  int              `json:"entered"`  // their answers

	finished map[string]bool
}

// An openRespondent is a respondent who may still answer.
type openRespondent struct {
	Name    string          `json:"name"`
	Answers []choice.Answer `json:"answers"`
}

// hold keeps an answer of a respondent until they finish. It reports false for one who has finished.
func (r *respondents) hold(a choice.Answer) bool {
	if r.isFinished(a.Respondent) {
		return false
	}
	a.Question, a.Picks = slices.Clone(a.Question), slices.Clone(a.Picks)
	at := r.find(a.Respondent)
	if at < 0 {
		at = len(r.Open)
		r.Open = append(r.Open, openRespondent{Name: a.Respondent})
	}
	r.Open[at].Answers = append(r.Open[at].Answers, a)
	return true
}

// finish returns the answers of a respondent, who is from now on finished.
func (r *respondents) finish(name string) []choice.Answer {
	if r.isFinished(name) {
		return nil
	}
	r.finished[name] = true
	r.Finished = append(r.Finished, name)
	at := r.find(name)
	if at < 0 {
		return nil
	}
	answers := r.Open[at].Answers
	r.Open = slices.Delete(r.Open, at, at+1)
	return answers
}

// each returns how many questions a respondent answers, on average.
func (r *respondents) each() float64 {
	if r.Complete == 0 {
		return 1
	}
	return float64(r.Entered) / float64(r.Complete)
}

func (r *respondents) find(name string) int {
	return slices.IndexFunc(r.Open, func(o openRespondent) bool { return o.Name == name })
}

func (r *respondents) isFinished(name string) bool {
	if r.finished == nil {
		r.finished = make(map[string]bool, len(r.Finished))
		for _, known := range r.Finished {
			r.finished[known] = true
		}
	}
	return r.finished[name]
}
