package dispatch_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/studytest"
)

// TestAnswersAreIdempotent: repeating an answer changes nothing, a different answer is a conflict,
// undo works until the answer is counted, and forged tokens are rejected.
func TestAnswersAreIdempotent(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	ctx := t.Context()
	lease := s.Ask(service, "anna")
	for range 3 {
		s.Must(service.Answer(ctx, id, lease.Token, []int{1}))
	}
	if err := service.Answer(ctx, id, lease.Token, []int{2}); !errors.Is(err, study.ErrConflict) {
		t.Errorf("another answer: %v", err)
	}
	if err := service.Skip(ctx, id, lease.Token); !errors.Is(err, study.ErrConflict) {
		t.Errorf("skip after an answer: %v", err)
	}
	for range 2 {
		s.Must(service.Undo(ctx, id, lease.Token))
	}
	if err := service.Answer(ctx, id, lease.Token, []int{2}); err != nil {
		t.Errorf("another answer after an undo: %v", err)
	}
	s.Pass(11 * time.Second)
	s.Step(planner)
	if err := service.Undo(ctx, id, lease.Token); !errors.Is(err, study.ErrTooLate) {
		t.Errorf("undo of a counted answer: %v", err)
	}
	s.Must(service.Answer(ctx, id, lease.Token, []int{2}))
	for _, picks := range [][]int{nil, {3}, {-1}, {0, 1}} {
		if err := service.Answer(ctx, id, lease.Token, picks); !errors.Is(err, study.ErrInvalid) {
			t.Errorf("picks %v are accepted", picks)
		}
	}
	other := "A"
	if lease.Token[0] == 'A' {
		other = "B"
	}
	for _, token := range []string{"", "abc", lease.Token[1:], lease.Token + "A", other + lease.Token[1:]} {
		if err := service.Answer(ctx, id, token, []int{0}); !errors.Is(err, study.ErrToken) {
			t.Errorf("token %q: %v", token, err)
		}
	}
	if verdict := s.Agreed(); verdict.Answered != 1 {
		t.Errorf("%+v", verdict)
	}
	if log := s.Outcomes(); len(log) != 3 || log[2].Respondent != "anna" || log[2].Plan != 1 || !slices.Equal(log[2].Shown, lease.Shown) {
		t.Errorf("the log is %+v", log)
	}
}

// TestSkipped: a skipped question is asked again, of another respondent. Skip is idempotent, and
// cannot be undone.
func TestSkipped(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	lease := s.Ask(service, "anna")
	if err := service.Undo(t.Context(), id, lease.Token); !errors.Is(err, study.ErrNotAnswered) {
		t.Errorf("undo without an answer: %v", err)
	}
	for range 2 {
		s.Must(service.Skip(t.Context(), id, lease.Token))
	}
	if err := service.Answer(t.Context(), id, lease.Token, []int{0}); !errors.Is(err, study.ErrConflict) {
		t.Errorf("answer after a skip: %v", err)
	}
	if err := service.Undo(t.Context(), id, lease.Token); !errors.Is(err, study.ErrNotAnswered) {
		t.Errorf("undo of a skip: %v", err)
	}
	s.AskedAgain(service, planner, lease.Shown)
	if verdict := s.Agreed(); verdict.Answered != 0 {
		t.Errorf("%+v", verdict)
	}
}

// TestLateAnswers: an answer after the lease counts until the question is replaced, and is refused
// after that. A replaced question is asked again.
func TestLateAnswers(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Step(planner)
	ctx := t.Context()
	first, second, third := s.Ask(service, "anna"), s.Ask(service, "ben"), s.Ask(service, "cleo")
	if want := s.Clock().Add(time.Minute); !first.Expires.Equal(want) {
		t.Errorf("the lease ends at %v, want %v", first.Expires, want)
	}
	s.Pass(80 * time.Second) // the lease, and the time that the question may have been on the desk
	s.Step(planner)
	if err := service.Answer(ctx, id, third.Token, []int{0}); err != nil {
		t.Errorf("an answer in time: %v", err)
	}
	s.Pass(time.Second)
	if err := service.Answer(ctx, id, first.Token, []int{0}); err != nil {
		t.Errorf("a late answer to a question that was not replaced: %v", err)
	}
	s.Step(planner)
	if err := service.Answer(ctx, id, second.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		t.Errorf("an answer to a replaced question: %v", err)
	}
	s.Pass(11 * time.Second)
	s.AskedAgain(service, planner, second.Shown)
	if verdict := s.Agreed(); verdict.Answered != 2 {
		t.Errorf("%+v", verdict)
	}
}
