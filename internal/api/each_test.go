package api_test

import (
	"testing"

	"bestpick/wire"
)

// TestEach tests that a respondent is asked and answers no more questions than the study allows.
func TestEach(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 3, Grace: -1, Each: 2})
	for range 2 {
		if q := s.answer(study.ID, "anna"); q.Each != 2 {
			t.Errorf("the limit is %d", q.Each)
		}
	}
	_, err := s.tryAsk(study.ID, "anna")
	s.refused(err, 409, wire.Enough, "")
	s.answer(study.ID, "bert")
	first, second := s.ask(study.ID, ""), s.ask(study.ID, "")
	if first.Respondent == "" || first.Respondent == second.Respondent {
		t.Errorf("respondents without a name are called %q and %q", first.Respondent, second.Respondent)
	}
}

// TestDone tests that a caller who claims a name does not learn how often it has answered, neither from
// the question nor from its token. Members of a panel, respondents with a name of the server's, and
// respondents who continue with next do.
func TestDone(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 3, Grace: -1, Each: 5})
	says := func(who string, q wire.Question, want int) {
		t.Helper()
		switch {
		case want < 0 && q.Done != nil:
			t.Errorf("%s: the question reports %d as done", who, *q.Done)
		case want >= 0 && (q.Done == nil || *q.Done != want):
			t.Errorf("%s: the question does not report %d as done", who, want)
		}
	}
	says("a claimed name, first", s.answer(study.ID, "anna"), -1)
	q := s.ask(study.ID, "anna")
	says("a claimed name, again", q, -1)
	next, err := s.respondent.AnswerAndAsk(t.Context(), study.ID, q.Token, q.Arms[0].ID)
	s.must(err)
	says("next", *next, 2)

	made := s.answer(study.ID, "")
	says("a name of the server's, first", made, 0)
	says("a name of the server's, again", s.ask(study.ID, made.Respondent), 1)

	member := s.invite(study.ID, "cleo")[0]
	for done := range 2 {
		q, err := s.askAs(study.ID, wire.Ask{Key: member.Key})
		s.must(err)
		says("a member", q, done)
		s.must(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID))
	}

	unlimited := s.open(quick())
	says("no limit", s.ask(unlimited.ID, ""), -1)
}
