package dispatch_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/studytest"
)

// TestHoarded tests that of 1,000 questions that a panel member was asked before the first answer,
// one answer counts if each is 1. Every question comes from another process, so that no limit of
// open questions applies.
func TestHoarded(t *testing.T) {
	s := studytest.Begin(t, studytest.Limited(1))
	const questions = 1000
	planned(s, many(questions)...)
	services := []*studytest.Service{s.Service("one"), s.Service("two")}
	anna := s.Invite(services[0], "anna", "ben")[0]
	tokens := make([]string, questions)
	for i := range tokens {
		lease, err := s.Service(fmt.Sprint("process ", i)).AskWithKey(t.Context(), id, anna.Key, "")
		s.Must(err)
		tokens[i] = lease.Token
	}
	var accepted atomic.Int64
	var waiting sync.WaitGroup
	for worker := range 8 {
		waiting.Go(func() {
			for i := worker; i < questions; i += 8 {
				var err error
				if i%5 == 0 {
					err = services[i%2].Skip(t.Context(), id, tokens[i])
				} else {
					err = services[i%2].Answer(t.Context(), id, tokens[i], []int{0})
				}
				if err == nil {
					accepted.Add(1)
				} else {
					s.Wants(study.ErrEnough, err)
				}
			}
		})
	}
	waiting.Wait()
	if log := s.Outcomes(); accepted.Load() != 1 || len(log) != 1 {
		t.Errorf("%d answers were accepted, and %d are in the log", accepted.Load(), len(log))
	}
}

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
		if got := s.Ask(one, "anna"); got.Token != want.Token || !got.Expires.Equal(want.Expires) || !slices.Equal(got.Shown, want.Shown) {
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

// TestEachAtAllTimes tests the limit with random interleavings of a few respondents in two
// processes, where questions expire and are lost: the standing questions of a respondent never
// exceed it, and every operation returns the expected result.
func TestEachAtAllTimes(t *testing.T) {
	enough, undone, repeated := 0, 0, 0
	for seed := range uint64(12) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			v := &visits{Stage: studytest.Begin(t, studytest.Limited(1+random.IntN(4))), random: random}
			v.each = v.Study().Settings.Each
			v.services = []*studytest.Service{v.Service("one"), v.Service("two")}
			v.planner = v.services[0].Planner(id)
			v.Step(v.planner)
			for range 120 {
				v.happen()
				v.check()
			}
			enough, undone, repeated = enough+v.enough, undone+v.undone, repeated+v.repeated
		})
	}
	t.Logf("%d answers were refused, %d undone, %d repeated", enough, undone, repeated)
	if enough < 10 || undone < 10 || repeated < 50 {
		t.Error("too few of these happened")
	}
}

// visits are the state of a random test with some respondents.
type visits struct {
	*studytest.Stage

	random   *rand.Rand
	each     int
	services []*studytest.Service
	planner  *planning.Planner
	leases   []dispatch.Lease

	enough, undone, repeated int
}

// happen runs one random action.
func (v *visits) happen() {
	v.Helper()
	service := v.services[v.random.IntN(2)]
	switch action := v.random.IntN(20); {
	case action < 6 || len(v.leases) == 0:
		v.asks(service, []string{"anna", "ben", "cleo"}[v.random.IntN(3)])
	case action == 6:
		v.Pass(time.Duration(v.random.IntN(100)) * time.Second)
		v.Step(v.planner)
	case action < 10:
		v.undoes(service, v.leases[v.random.IntN(len(v.leases))])
	default:
		v.settles(service, v.leases[v.random.IntN(len(v.leases))])
	}
}

func (v *visits) asks(service *studytest.Service, who string) {
	v.Helper()
	done := v.done()[who]
	lease, err := service.Ask(v.Context(), id, who, "")
	switch {
	case done >= v.each:
		v.Wants(study.ErrEnough, err)
	case errors.Is(err, study.ErrNoQuestion):
		v.Step(v.planner)
	default:
		v.Must(err)
		if lease.Done != done {
			v.Errorf("%s has settled %d questions, the lease says %d", who, done, lease.Done)
		}
		v.leases = append(v.leases, lease)
	}
}

// settles answers or skips a question, perhaps a settled one.
func (v *visits) settles(service *studytest.Service, l dispatch.Lease) {
	v.Helper()
	before, done := v.at(l), v.done()[l.Respondent]
	var picks []int
	kind := study.Skipped
	if v.random.IntN(4) > 0 {
		kind, picks = study.Answered, []int{v.random.IntN(2)}
	}
	var err error
	if kind == study.Answered {
		err = service.Answer(v.Context(), id, l.Token, picks)
	} else {
		err = service.Skip(v.Context(), id, l.Token)
	}
	switch {
	case before.Kind == study.Lost:
		v.Wants(study.ErrReplaced, err)
	case before.Kind == kind && slices.Equal(before.Picks, picks):
		v.Must(err)
		v.repeated++
	case before.Kind == study.Answered || before.Kind == study.Skipped:
		v.Wants(study.ErrConflict, err)
	case done >= v.each:
		v.Wants(study.ErrEnough, err)
		v.enough++
	default:
		v.Must(err)
		if now := v.done()[l.Respondent]; now != done+1 {
			v.Errorf("an answer changes the count of %s from %d to %d", l.Respondent, done, now)
		}
	}
}

// undoes undoes an answer.
func (v *visits) undoes(service *studytest.Service, l dispatch.Lease) {
	v.Helper()
	before, done := v.at(l), v.done()[l.Respondent]
	err := service.Undo(v.Context(), id, l.Token)
	switch {
	case before.Kind == study.Answered && errors.Is(err, study.ErrTooLate) && v.Clock().Sub(before.At) >= v.Study().Settings.Grace:
	case before.Kind == study.Answered:
		v.Must(err)
		v.undone++
		if now := v.done()[l.Respondent]; now != done-1 {
			v.Errorf("an undo changes the count of %s from %d to %d", l.Respondent, done, now)
		}
	case before.Kind == study.Undone:
		v.Must(err)
	default:
		v.Wants(study.ErrNotAnswered, err)
	}
}

// at returns the last outcome of a leased question, if it has one.
func (v *visits) at(l dispatch.Lease) study.Outcome {
	v.Helper()
	outcome, err := v.Store.At(v.Context(), id, l.Position)
	if !errors.Is(err, study.ErrNotFound) {
		v.Must(err)
	}
	return outcome
}

// done counts the standing questions of each respondent from the log.
func (v *visits) done() map[string]int {
	v.Helper()
	standing := map[study.Position]string{}
	for _, o := range v.Outcomes() {
		delete(standing, o.Position)
		if o.Kind == study.Answered || o.Kind == study.Skipped {
			standing[o.Position] = o.Respondent
		}
	}
	done := map[string]int{}
	for _, who := range standing {
		done[who]++
	}
	return done
}

// check compares the limit and the store's history with the log.
func (v *visits) check() {
	v.Helper()
	for who, questions := range v.done() {
		history, err := v.Store.Respondent(v.Context(), id, who)
		v.Must(err)
		if questions > v.each || history.Questions != questions {
			v.Fatalf("%s has %d standing questions of %d, the store says %d", who, questions, v.each, history.Questions)
		}
	}
}
