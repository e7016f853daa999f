package dispatch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// TestOpenQuestions tests that a respondent has at most 32 open questions in a process: then the
// least recently served one is served again, with the same time of expiry. Answers and expiry make
// room.
func TestOpenQuestions(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	planned(s, many(100)...)
	one, two := s.Service("one"), s.Service("two")
	var leases []dispatch.Lease
	met := map[string]bool{}
	for range 32 {
		leases = append(leases, s.Ask(one, "anna"))
		met[leases[len(leases)-1].Token] = true
	}
	if len(met) != 32 {
		t.Fatalf("the respondent gets %d different questions", len(met))
	}
	s.Pass(time.Second)
	for _, want := range leases[:3] {
		if got := s.Ask(one, "anna"); got.Token != want.Token || !got.Expires.Equal(want.Expires) ||
			!slices.Equal(got.Shown, want.Shown) {
			t.Errorf("got %v until %v, want %v until %v again", got.Shown, got.Expires, want.Shown, want.Expires)
		}
	}
	if got := s.Ask(two, "anna"); met[got.Token] {
		t.Error("another process knows the open questions of the first one")
	}

	renewed := func(what string, want bool) {
		t.Helper()
		got := s.Ask(one, "anna")
		if met[got.Token] == want {
			t.Errorf("%s: a new question is %v, want %v", what, !want, want)
		}
		met[got.Token] = true
	}
	renewed("nothing has happened", false)
	s.Must(one.Answer(t.Context(), id, leases[10].Token, []int{0}))
	renewed("one is answered", true)
	renewed("as many are open as before", false)
	s.Must(two.Skip(t.Context(), id, leases[5].Token)) // the next in turn
	renewed("one is skipped elsewhere", true)
	renewed("as many are open as before", false)
	s.Must(one.Undo(t.Context(), id, leases[10].Token))
	renewed("one answer is taken back", false)
	s.Pass(time.Minute) // the lease
	renewed("all have expired", true)
}

// TestOpenWithdrawn tests that an open question that shows a withdrawn arm is not served again.
func TestOpenWithdrawn(t *testing.T) {
	s := studytest.Begin(t, studytest.Limited(1))
	planned(s, []int{0, 1, 2}, []int{1, 2, 3})
	service := s.Service("one")
	s.Ask(service, "anna")
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a0")
	s.Must(err)
	for range 2 {
		if again := s.Ask(service, "anna"); !slices.Equal(again.Shown, []int{1, 2, 3}) {
			t.Errorf("got question %v", again.Shown)
		}
	}
}

// TestOpenAndEach tests that with each, a respondent has no more open questions than they may still
// answer, and that a question settled in another process is not served again.
func TestOpenAndEach(t *testing.T) {
	s := studytest.Begin(t, studytest.Limited(2))
	planned(s, many(20)...)
	one, two := s.Service("one"), s.Service("two")
	first, second := s.Ask(one, "anna"), s.Ask(one, "anna")
	if first.Token == second.Token {
		t.Error("the respondent gets a question twice")
	}
	if again := s.Ask(one, "anna"); again.Token != first.Token {
		t.Error("the respondent has three open questions")
	}
	s.Must(two.Answer(t.Context(), id, first.Token, []int{0}))
	for range 2 {
		if again := s.Ask(one, "anna"); again.Token != second.Token {
			t.Error("with one question left, the respondent gets another one than the open one")
		}
	}
	s.Must(two.Answer(t.Context(), id, second.Token, []int{0}))
	_, err := one.Ask(t.Context(), id, "anna", "")
	s.Wants(study.ErrEnough, err)
	s.Must(one.Answer(t.Context(), id, second.Token, []int{0}))
	s.Wants(study.ErrConflict, one.Answer(t.Context(), id, second.Token, []int{1}))
	s.Must(one.Undo(t.Context(), id, second.Token))
	if again := s.Ask(one, "anna"); again.Token != second.Token {
		t.Error("the question whose answer was undone is not open")
	}
}

// TestJudges tests that parallel judges under one name work on different questions.
func TestJudges(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	planned(s, many(200)...)
	service := s.Service("one")
	const judges, questions = 16, 10
	var waiting sync.WaitGroup
	for range judges {
		waiting.Go(func() {
			for range questions {
				lease, err := service.Ask(t.Context(), id, "model", "")
				if err == nil {
					err = service.Answer(t.Context(), id, lease.Token, []int{0})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	waiting.Wait()
	if n := len(s.Outcomes()); n != judges*questions {
		t.Errorf("%d answers are counted", n)
	}
}

// TestHandInTwoProcesses tests that people who move between processes get every question of their hand once, also
// after an undo and with a question fetched ahead: a process reads the store unless it alone has served them since.
func TestHandInTwoProcesses(t *testing.T) {
	const people, each = 20, 12
	s := studytest.Begin(t, study.Settings{
		PerRespondent: each, Strategy: racing.Settings{K: 2, Assume: strategy.Majority}, Grace: time.Minute,
	})
	planned(s, many(people*each)...)
	services := []*studytest.Service{s.Service("one"), s.Service("two")}
	rng := rand.New(rand.NewPCG(1, 1))
	for who := range people {
		name := fmt.Sprint("person ", who)
		lease, seen := s.Ask(services[0], name), map[study.Position]bool{}
		for n := range each {
			if lease.Done != n || seen[lease.Position] {
				t.Fatalf("%s: question %d is at position %d, after %d settled ones", name, n, lease.Position, lease.Done)
			}
			seen[lease.Position] = true
			by, other := services[rng.IntN(2)], services[rng.IntN(2)]
			if n == who%each {
				s.Ask(other, name) // fetched ahead, and not answered now
			}
			s.Must(by.Answer(t.Context(), id, lease.Token, []int{0}))
			if n == who%5 {
				s.Must(other.Undo(t.Context(), id, lease.Token))
				s.Must(other.Answer(t.Context(), id, lease.Token, []int{1}))
			}
			next, err := by.Next(t.Context(), id, lease.Token)
			if n == each-1 {
				s.Wants(study.ErrEnough, err)
				break
			}
			s.Must(err)
			lease = next
		}
	}
}

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
	if log := s.Outcomes(); len(log) != 3 || log[2].Respondent != "anna" || log[2].Plan != 1 ||
		!slices.Equal(log[2].Shown, lease.Shown) {
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
