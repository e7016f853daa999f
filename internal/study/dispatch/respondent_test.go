package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

// planned writes a plan with the given questions.
func planned(s *studytest.Stage, questions ...[]int) {
	s.Helper()
	plan := study.Plan{Number: 1, Questions: questions, Verdict: []byte("{}"), At: s.Clock()}
	if last, err := s.Store.LastPlan(s.Context(), id); err == nil {
		plan.Number, plan.First = last.Number+1, last.First+study.Position(len(last.Questions))
	}
	_, err := s.Store.AcquireLease(s.Context(), id, "test", s.Clock(), s.Clock().Add(time.Minute))
	s.Must(err)
	s.Must(s.Store.Append(s.Context(), id, "test", plan))
}

// TestNobodyIsAskedTheSameTwiceInARow tests that a respondent does not see the same set of arms
// twice in a row, as long as there is another question.
func TestNobodyIsAskedTheSameTwiceInARow(t *testing.T) {
	s := studytest.Begin(t, study.Settings{Strategy: racing.Settings{K: 2}})
	planned(s, []int{0, 1}, []int{1, 0}, []int{2, 3}, []int{0, 1}, []int{0, 1}, []int{0, 1})
	service := s.Service("one")
	var asked [][]int
	for range 6 {
		asked = append(asked, s.Ask(service, "anna").Shown)
	}
	if want := [][]int{{0, 1}, {2, 3}, {1, 0}, {0, 1}, {0, 1}, {0, 1}}; !slices.EqualFunc(asked, want, slices.Equal) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNoQuestion) {
		t.Errorf("the deck is empty: %v", err)
	}
}

// TestNobodyIsAskedTheSameTwiceInARowElsewhere: other processes know the last arms that a
// respondent answered or skipped, also after a crash, and also if they remember earlier ones.
// Respondents without a name get any question.
func TestNobodyIsAskedTheSameTwiceInARowElsewhere(t *testing.T) {
	s := studytest.Begin(t, study.Settings{Strategy: racing.Settings{K: 2}})
	one, two := s.Service("one"), s.Service("two")
	planned(s, []int{2, 3})
	s.Ask(one, "anna")

	planned(s, []int{0, 1}, []int{1, 0}, []int{4, 5})
	lease := s.Ask(two, "anna")
	s.Must(two.Skip(t.Context(), id, lease.Token))
	if again := s.Ask(one, "anna"); !slices.Equal(again.Shown, []int{4, 5}) {
		t.Errorf("she was shown %v in another process, and gets %v", lease.Shown, again.Shown)
	}
	if other := s.Ask(one, "ben"); !slices.Equal(other.Shown, []int{1, 0}) {
		t.Errorf("another respondent gets %v", other.Shown)
	}

	s.Pass(time.Minute)
	planned(s, []int{0, 1}, []int{1, 0}, []int{4, 5})
	lease = s.Ask(two, "cleo")
	s.Must(two.Answer(t.Context(), id, lease.Token, []int{0}))
	s.Crash()
	two = s.Service("two")
	if again := s.Ask(two, "cleo"); !slices.Equal(again.Shown, []int{4, 5}) {
		t.Errorf("she was shown %v before the crash, and gets %v", lease.Shown, again.Shown)
	}

	s.Pass(time.Minute)
	planned(s, []int{0, 1}, []int{1, 0}, []int{4, 5})
	for _, want := range [][]int{{0, 1}, {1, 0}, {4, 5}} {
		lease := s.Ask(two, "")
		s.Must(two.Skip(t.Context(), id, lease.Token))
		if !slices.Equal(lease.Shown, want) {
			t.Errorf("a respondent without a name gets %v, want %v", lease.Shown, want)
		}
	}
}

// TestEach: the limit of questions per respondent counts answers and skips in all processes, but no
// undone answers.
func TestEach(t *testing.T) {
	settings := studytest.Three()
	settings.PerRespondent = 3
	s := studytest.Begin(t, settings)
	services := []*studytest.Service{s.Service("one"), s.Service("two")}
	s.Step(services[0].Planner(id))
	for i := range 3 {
		service := services[i%2]
		lease := s.Ask(service, "anna")
		if lease.Done != i {
			t.Errorf("she has answered %d, the lease says %d", i, lease.Done)
		}
		if i == 1 {
			s.Must(service.Skip(t.Context(), id, lease.Token))
			continue
		}
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
		s.Must(service.Undo(t.Context(), id, lease.Token))
		s.Must(service.Answer(t.Context(), id, lease.Token, []int{1}))
	}
	for _, service := range services {
		if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrEnough) {
			t.Errorf("a fourth question: %v", err)
		}
		s.Ask(service, "ben")
		_, err := service.Ask(t.Context(), id, "", "")
		if field, is := errors.AsType[*study.Error](err); !is || field.Field != "respondent" {
			t.Errorf("a respondent without a name: %v", err)
		}
	}
}

// TestNext tests that the token of a settled question gets the next one, in any process, within the
// respondent's limit and without waiting.
func TestNext(t *testing.T) {
	s := studytest.Begin(t, study.Settings{Strategy: racing.Settings{K: 2}})
	planned(s, []int{0, 1}, []int{1, 0}, []int{2, 3}, []int{4, 5})
	one, two := s.Service("one"), s.Service("two")
	lease := s.Ask(one, "anna")
	s.Must(one.Answer(t.Context(), id, lease.Token, []int{0}))
	for _, want := range [][]int{{2, 3}, {1, 0}, {4, 5}} {
		next, err := two.Next(t.Context(), id, lease.Token)
		s.Must(err)
		if next.Respondent != "anna" || !slices.Equal(next.Shown, want) {
			t.Errorf("%s is asked %v, want %v", next.Respondent, next.Shown, want)
		}
		s.Must(two.Skip(t.Context(), id, next.Token))
		lease = next
	}
	if _, err := two.Next(t.Context(), id, lease.Token); !errors.Is(err, study.ErrNoQuestion) {
		t.Errorf("the deck is empty: %v", err)
	}

	limited := studytest.Three()
	limited.PerRespondent = 2
	s.Create("limited", limited, study.Open)
	s.Step(one.Planner("limited"))
	first, err := one.Ask(t.Context(), "limited", "anna", "")
	s.Must(err)
	s.Must(one.Answer(t.Context(), "limited", first.Token, []int{0}))
	second, err := two.Next(t.Context(), "limited", first.Token)
	s.Must(err)
	if second.Done != 1 {
		t.Errorf("she has settled %d questions", second.Done)
	}
	s.Must(two.Answer(t.Context(), "limited", second.Token, []int{0}))
	for _, token := range []string{first.Token, second.Token} {
		if _, err := one.Next(t.Context(), "limited", token); !errors.Is(err, study.ErrEnough) {
			t.Errorf("a third question: %v", err)
		}
	}
}

// TestWhoIsAsked: segments must be in the model, and names must be valid texts.
func TestWhoIsAsked(t *testing.T) {
	settings := studytest.Three()
	settings.Strategy.Model.Segments = []racing.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 1}}
	s := studytest.Begin(t, settings)
	service := s.Service("one")
	s.Step(service.Planner(id))
	for _, test := range []struct{ respondent, segment, want string }{
		{"anna", "", `segment: there is no segment ""`},
		{"anna", "east", `segment: there is no segment "east"`},
		{"\x00", "north", `respondent: "\x00" is not UTF-8 text without zero bytes`},
		{"\xff", "north", `respondent: "\xff" is not UTF-8 text without zero bytes`},
		{strings.Repeat("a", 1001), "north", `respondent: "aaaaaaaaaaaaaaaaaaaa"… is longer than 1000 bytes`},
	} {
		_, err := service.Ask(t.Context(), id, test.respondent, test.segment)
		if _, is := errors.AsType[*study.Error](err); !is || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	lease, err := service.Ask(t.Context(), id, strings.Repeat("a", 1000), "south")
	s.Must(err)
	s.Must(service.Answer(t.Context(), id, lease.Token, []int{0}))
	if log := s.Outcomes(); len(log) != 1 || log[0].Segment != "south" {
		t.Errorf("the log is %+v", log)
	}
	if _, err := service.Ask(t.Context(), "nothing", "anna", "north"); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("an unknown study: %v", err)
	}
	settings.Strategy.Model.Segments = nil
	s.Create("plain", settings, study.Open)
	if _, err := service.Ask(t.Context(), "plain", "anna", "\x00"); err == nil ||
		err.Error() != `segment: "\x00" is not UTF-8 text without zero bytes` {
		t.Errorf("an invalid segment: %v", err)
	}
}

// TestDeskIsCleared: desks are removed when a study is over, also in processes that do not plan.
func TestDeskIsCleared(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planned(s, many(3)...)
	s.Ask(service, "anna")
	if desks, _ := service.Left(t); desks != 1 {
		t.Errorf("there are %d desks", desks)
	}
	_, err := s.Service("owner").SetState(t.Context(), id, owner.Any, study.Done)
	s.Must(err)
	s.Pass(time.Second) // until the other process reads the study again
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Error(err)
	}
	if desks, _ := service.Left(t); desks != 0 {
		t.Errorf("%d desks are left", desks)
	}
}

// TestPatience: a respondent waits for a question until it is planned, in this process or another
// one, until the study closes, the request ends, or the patience is over.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := studytest.Begin(t, studytest.Three())
		service := s.ServiceOn(s.Store, wiring.Options{Name: "one", Patience: 10 * time.Second})
		elsewhere := s.ServiceOn(s.Store, wiring.Options{Name: "two"})
		ask := func(ctx context.Context, who string) (time.Duration, error) {
			began := time.Now()
			_, err := service.Ask(ctx, id, who, "")
			return time.Since(began), err
		}
		if waited, err := ask(t.Context(), "anna"); !errors.Is(err, study.ErrNoQuestion) || waited != 10*time.Second {
			t.Errorf("without a planner: %v, %v", waited, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if waited, err := ask(ctx, "anna"); !errors.Is(err, context.DeadlineExceeded) || waited != 3*time.Second {
			t.Errorf("until the request ends: %v, %v", waited, err)
		}
		after := func(d time.Duration, do func() error) {
			go func() {
				time.Sleep(d)
				if err := do(); err != nil {
					t.Error(err)
				}
			}()
		}
		planner, other := service.Planner(id), elsewhere.Planner(id)
		after(1550*time.Millisecond, func() error { _, err := planner.Step(t.Context()); return err })
		if waited, err := ask(t.Context(), "anna"); err != nil || waited != 1550*time.Millisecond {
			t.Errorf("until it is planned: %v, %v", waited, err)
		}
		synctest.Wait() // until the step ends
		s.Must(planner.Resign(t.Context()))
		emptied(s, service)
		after(1550*time.Millisecond, func() error { _, err := other.Step(t.Context()); return err })
		if waited, err := ask(t.Context(), "anna"); err != nil || waited < 1550*time.Millisecond || waited > 1650*time.Millisecond {
			t.Errorf("until it is planned in another process: %v, %v", waited, err)
		}
		emptied(s, service)
		after(1550*time.Millisecond, func() error { _, err := service.SetState(t.Context(), id, owner.Any, study.Paused); return err })
		if waited, err := ask(t.Context(), "anna"); !errors.Is(err, study.ErrNotOpen) || waited != 1550*time.Millisecond {
			t.Errorf("until it is paused: %v, %v", waited, err)
		}
	})
}

// emptied takes all remaining questions.
func emptied(s *studytest.Stage, service *studytest.Service) {
	s.Helper()
	for i := 0; ; i++ {
		_, err := service.Ask(s.Context(), id, fmt.Sprint("other ", i), "")
		if errors.Is(err, study.ErrNoQuestion) {
			return
		}
		s.Must(err)
	}
}

// TestWithdrawnWhileTheyWait: a waiting respondent gets no question with an arm that is withdrawn
// meanwhile.
func TestWithdrawnWhileTheyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := studytest.Begin(t, studytest.Three())
		s.SetClock(time.Now())
		service := s.ServiceOn(s.Store, wiring.Options{Name: "one", Patience: 10 * time.Second})
		go func() {
			time.Sleep(1050 * time.Millisecond) // between two looks, not during one
			if _, err := service.Withdraw(t.Context(), id, owner.Any, "a0"); err != nil {
				t.Error(err)
			}
			planned(s, []int{0, 1, 2}, []int{1, 2, 3}) // as by a planner that has not read the withdrawal
		}()
		if lease := s.Ask(service, "anna"); !slices.Equal(lease.Shown, []int{1, 2, 3}) {
			t.Errorf("got question %v", lease.Shown)
		}
	})
}

// id is the id of the study in most tests.
const id = studytest.ID

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
