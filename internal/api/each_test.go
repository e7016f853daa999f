package api_test

import (
	"testing"

	"bestpick/wire"
)

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
