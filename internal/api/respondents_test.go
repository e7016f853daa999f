package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"bestpick/wire"
)

// slow returns settings with which answers are counted only when the clock is moved.
func slow() wire.Settings { return wire.Settings{K: 3, Grace: 60, Lease: 600} }

// TestNext: the reply to an answer contains the next question, as long as the respondent may have
// one.
func TestNext(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 3, Grace: -1, Each: 3})
	q := s.ask(study.ID, "anna")
	next, err := s.respondent.AnswerAndAsk(t.Context(), study.ID, q.Token, q.Arms[0].ID)
	s.must(err)
	if next == nil || next.Respondent != "anna" || next.Done == nil || *next.Done != 1 || next.Each != 3 || len(next.Arms) != 3 || next.Arms[0].Label == "" {
		t.Fatalf("the next question is %+v", next)
	}
	reply := s.send(sent{
		method: http.MethodPost, path: "/studies/" + study.ID + "/skips", kind: "application/json", body: fmt.Sprintf(`{"token": %q, "next": true}`, next.Token),
	})
	var skipped wire.Outcome
	s.must(reply.read(&skipped))
	if skipped.Kind != "skipped" || skipped.Next == nil || *skipped.Next.Done != 2 {
		t.Fatalf("%s", reply.text)
	}
	last, err := s.respondent.AnswerAndAsk(t.Context(), study.ID, skipped.Next.Token, skipped.Next.Arms[0].ID)
	if s.must(err); last != nil {
		t.Errorf("got a fourth question: %+v", last)
	}
	_, err = s.respondent.AnswerAndAsk(t.Context(), study.ID, q.Token, q.Arms[1].ID)
	s.refused(err, 409, wire.Conflict, "")
}

// TestRanking: several picks are ranked, best first.
func TestRanking(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 4, Picks: 2, Grace: -1})
	q := s.ask(study.ID, "anna")
	if q.Picks != 2 || len(q.Arms) != 4 {
		t.Errorf("%d picks of %d arms", q.Picks, len(q.Arms))
	}
	s.refused(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID), 422, wire.Invalid, "body.picks")
	s.refused(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[0].ID, q.Arms[0].ID), 422, wire.Invalid, "body.picks[1]")
	s.must(s.respondent.Answer(t.Context(), study.ID, q.Token, q.Arms[2].ID, q.Arms[0].ID))
}

// TestOffers: a question says what it offers besides picks, and answers with that are accepted. The
// settings are returned as they were given.
func TestOffers(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(wire.Settings{K: 4, Outside: true, Ties: true, Worst: true, Assume: "linear", Grace: -1})
	if got := study.Settings; !got.Outside || !got.Ties || !got.Worst || *got.Fallback != 0 {
		t.Errorf("the settings are %+v", got)
	}
	q := s.ask(study.ID, "anna")
	if q.Picks != 1 || !q.None || !q.Tie || !q.Worst {
		t.Errorf("the question is %+v", q)
	}
	a, b := q.Arms[0].ID, q.Arms[1].ID
	for at, wrong := range map[string]wire.Answer{
		"body.picks":    {None: true, Tie: true},
		"body.picks[1]": {Picks: []string{a}, Worst: a},
		"body.worst":    {Picks: []string{a}},
	} {
		wrong.Token = q.Token
		_, err := s.respondent.Reply(t.Context(), study.ID, wrong)
		s.refused(err, 422, wire.Invalid, at)
	}
	for _, answer := range []wire.Answer{{Picks: []string{b}, Worst: a}, {None: true}, {Tie: true}} {
		answer.Token, answer.Next = s.ask(study.ID, "anna").Token, true
		if answer.Worst != "" {
			answer.Token = q.Token
		}
		outcome, err := s.respondent.Reply(t.Context(), study.ID, answer)
		s.must(err)
		if outcome.Kind != "answered" {
			t.Errorf("%+v is %+v", answer, outcome)
		}
	}
	plain := s.open(wire.Settings{K: 3, Grace: -1})
	q = s.ask(plain.ID, "anna")
	if q.None || q.Tie || q.Worst {
		t.Errorf("a plain question offers %+v", q)
	}
	_, err := s.respondent.Reply(t.Context(), plain.ID, wire.Answer{Token: q.Token, None: true})
	s.refused(err, 422, wire.Invalid, "body.picks")
}

// TestNoQuestion: if no question is available, the reply has Retry-After.
func TestNoQuestion(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.open(quick())
	reply := s.send(sent{method: http.MethodPost, path: "/studies/" + study.ID + "/questions", kind: "application/json", body: "{}"})
	var problem wire.Problem
	s.must(reply.read(&problem))
	if reply.status != 503 || problem.Type != wire.NoQuestion || reply.header.Get("Retry-After") != "1" {
		t.Errorf("%d %s, Retry-After %q", reply.status, reply.text, reply.header.Get("Retry-After"))
	}
}
