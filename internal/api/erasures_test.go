package api_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bestpick/internal/middleware"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/replay"
	"bestpick/internal/table"
	"bestpick/wire"
)

// TestErase: no export contains data of an erased respondent, and the reply reports the change of
// the verdict. Erasing is idempotent.
func TestErase(t *testing.T) {
	s := begin(t, setting{})
	ctx := t.Context()
	open := s.open(quick())
	for _, who := range []string{"anna", "bert", "anna", "cleo"} {
		s.answer(open.ID, who)
	}
	_, err := s.owner.Import(ctx, open.ID, "survey", file("a.csv", "shown_1,shown_2,pick_1,respondent\napple,pear,pear,anna\napple,pear,pear,dan\n"))
	s.must(err)
	s.must(s.respondent.Skip(ctx, open.ID, s.ask(open.ID, "anna").Token))
	out := s.ask(open.ID, "bert")
	s.pass(time.Minute)
	s.eventually("all answers count", func() bool { return s.verdict(open.ID).Answers == 6 })
	before := s.verdict(open.ID)

	done, err := s.owner.Erase(ctx, open.ID, "anna")
	s.must(err)
	if done.Answers != 3 || done.Skips != 1 || done.TakenBack != 0 || done.Before.Answers != 6 || done.After.Answers != 3 || done.After.Plan <= before.Plan {
		t.Errorf("%+v", done)
	}
	if done.Before.Leader == nil || done.After.Leader == nil || !strings.Contains(done.Sentence, done.After.Leader.Label+" leads") {
		t.Errorf("%s, of %+v and %+v", done.Sentence, done.Before.Leader, done.After.Leader)
	}
	var log bytes.Buffer
	if text := s.export(open.ID, table.CSV); strings.Contains(text, "anna") || !strings.Contains(text, "bert") || strings.Contains(text, "erased") {
		t.Error(text)
	}
	s.must(s.owner.Export(ctx, open.ID, "log", "", &log))
	if strings.Contains(log.String(), "anna") || !strings.Contains(log.String(), `"kind":"erased"`) {
		t.Error(log.String())
	}
	report, err := replay.Verify(&log)
	s.must(err)
	if report.Verdict.Answered != 3 {
		t.Errorf("%+v", report)
	}
	s.refused(s.respondent.Answer(ctx, open.ID, out.Token, out.Arms[0].ID), 409, wire.Replaced, "")
	s.answer(open.ID, "bert")

	again, err := s.owner.Erase(ctx, open.ID, "anna")
	s.must(err)
	if again.Answers+again.Skips+again.TakenBack > 0 || again.Sentence != "Nothing was recorded of this respondent, so nothing has changed." || again.Before.Plan != again.After.Plan {
		t.Errorf("%+v", again)
	}
	_, err = s.owner.Erase(ctx, open.ID, "")
	s.refused(err, 422, wire.Invalid, "body.respondent")
	_, err = s.owner.Erase(ctx, "none", "anna")
	s.refused(err, 404, wire.NotFound, "")
}

// An impatientStore has the client disconnect during an erasure.
type impatientStore struct {
	study.Store

	leave context.CancelFunc
}

func (s *impatientStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	s.leave()
	time.Sleep(50 * time.Millisecond) // until the server notices
	return s.Store.Erase(ctx, id, respondent, p)
}

// TestEraseGoesOn: an erasure is completed and audited even if the client disconnects.
func TestEraseGoesOn(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	s := begin(t, setting{store: func(s *sqlite.Store) study.Store { return &impatientStore{s, leave} }})
	open := s.open(quick())
	s.answer(open.ID, "anna")
	if _, err := s.owner.Erase(ctx, open.ID, "anna"); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.eventually("it is recorded", func() bool {
		entries := s.entries()
		return entries[len(entries)-1].Operation == "erase-respondent"
	})
	done, err := s.owner.Erase(t.Context(), open.ID, "anna")
	s.must(err)
	if done.Answers > 0 {
		t.Errorf("%+v", done)
	}
}

// TestEraseForgets: an erasure resets the respondent's rate limit.
func TestEraseForgets(t *testing.T) {
	s := begin(t, setting{patience: 10 * time.Second, limiter: middleware.NewLimiter(0.0001, 1)})
	open := s.open(quick())
	s.answer(open.ID, "anna")
	if _, err := s.tryAsk(open.ID, "anna"); err == nil {
		t.Error("the rate limit does not apply")
	}
	_, err := s.owner.Erase(t.Context(), open.ID, "anna")
	s.must(err)
	s.answer(open.ID, "anna")
}
