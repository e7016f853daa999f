package study_test

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
)

// limited are settings with a limit of questions per respondent.
func limited(each int) study.Settings {
	settings := three()
	settings.Each = each
	return settings
}

// TestHoarded tests that of 1,000 questions that a panel member was asked before the first answer,
// one answer counts if each is 1. Every question comes from another process, so that no limit of
// open questions applies.
func TestHoarded(t *testing.T) {
	s := begin(t, limited(1))
	const questions = 1000
	s.planned(many(questions)...)
	services := []*instance{s.service("one"), s.service("two")}
	anna := s.invite(services[0], "anna", "ben")[0]
	tokens := make([]string, questions)
	for i := range tokens {
		lease, err := s.service(fmt.Sprint("process ", i)).AskWithKey(t.Context(), id, anna.Key, "")
		s.must(err)
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
					s.wants(study.ErrEnough, err)
				}
			}
		})
	}
	waiting.Wait()
	if log := s.log(); accepted.Load() != 1 || len(log) != 1 {
		t.Errorf("%d answers were accepted, and %d are in the log", accepted.Load(), len(log))
	}
}

// TestOpenQuestions tests that a respondent has at most 32 open questions in a process: then the
// least recently served one is served again, with the same time of expiry. Answers and expiry make
// room.
func TestOpenQuestions(t *testing.T) {
	s := begin(t, three())
	s.planned(many(100)...)
	one, two := s.service("one"), s.service("two")
	var leases []dispatch.Lease
	met := map[string]bool{}
	for range 32 {
		leases = append(leases, s.ask(one, "anna"))
		met[leases[len(leases)-1].Token] = true
	}
	if len(met) != 32 {
		t.Fatalf("the respondent gets %d different questions", len(met))
	}
	s.pass(time.Second)
	for _, want := range leases[:3] {
		if got := s.ask(one, "anna"); got.Token != want.Token || !got.Expires.Equal(want.Expires) || !slices.Equal(got.Shown, want.Shown) {
			t.Errorf("got %v until %v, want %v until %v again", got.Shown, got.Expires, want.Shown, want.Expires)
		}
	}
	if got := s.ask(two, "anna"); met[got.Token] {
		t.Error("another process knows the open questions of the first one")
	}

	renewed := func(what string, want bool) {
		t.Helper()
		got := s.ask(one, "anna")
		if met[got.Token] == want {
			t.Errorf("%s: a new question is %v, want %v", what, !want, want)
		}
		met[got.Token] = true
	}
	renewed("nothing has happened", false)
	s.must(one.Answer(t.Context(), id, leases[10].Token, []int{0}))
	renewed("one is answered", true)
	renewed("as many are open as before", false)
	s.must(two.Skip(t.Context(), id, leases[5].Token)) // the next in turn
	renewed("one is skipped elsewhere", true)
	renewed("as many are open as before", false)
	s.must(one.Undo(t.Context(), id, leases[10].Token))
	renewed("one answer is taken back", false)
	s.pass(time.Minute) // the lease
	renewed("all have expired", true)
}

// TestOpenWithdrawn tests that an open question that shows a withdrawn arm is not served again.
func TestOpenWithdrawn(t *testing.T) {
	s := begin(t, limited(1))
	s.planned([]int{0, 1, 2}, []int{1, 2, 3})
	service := s.service("one")
	s.ask(service, "anna")
	_, err := service.Withdraw(t.Context(), id, owner.Any, "a0")
	s.must(err)
	for range 2 {
		if again := s.ask(service, "anna"); !slices.Equal(again.Shown, []int{1, 2, 3}) {
			t.Errorf("got question %v", again.Shown)
		}
	}
}

// TestOpenAndEach tests that with each, a respondent has no more open questions than they may still
// answer, and that a question settled in another process is not served again.
func TestOpenAndEach(t *testing.T) {
	s := begin(t, limited(2))
	s.planned(many(20)...)
	one, two := s.service("one"), s.service("two")
	first, second := s.ask(one, "anna"), s.ask(one, "anna")
	if first.Token == second.Token {
		t.Error("the respondent gets a question twice")
	}
	if again := s.ask(one, "anna"); again.Token != first.Token {
		t.Error("the respondent has three open questions")
	}
	s.must(two.Answer(t.Context(), id, first.Token, []int{0}))
	for range 2 {
		if again := s.ask(one, "anna"); again.Token != second.Token {
			t.Error("with one question left, the respondent gets another one than the open one")
		}
	}
	s.must(two.Answer(t.Context(), id, second.Token, []int{0}))
	_, err := one.Ask(t.Context(), id, "anna", "")
	s.wants(study.ErrEnough, err)
	s.must(one.Answer(t.Context(), id, second.Token, []int{0}))
	s.wants(study.ErrConflict, one.Answer(t.Context(), id, second.Token, []int{1}))
	s.must(one.Undo(t.Context(), id, second.Token))
	if again := s.ask(one, "anna"); again.Token != second.Token {
		t.Error("the question whose answer was undone is not open")
	}
}

// TestJudges tests that parallel judges under one name work on different questions.
func TestJudges(t *testing.T) {
	s := begin(t, three())
	s.planned(many(200)...)
	service := s.service("one")
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
	if n := len(s.log()); n != judges*questions {
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
			v := &visits{stage: begin(t, limited(1+random.IntN(4))), random: random}
			v.each = v.study().Settings.Each
			v.services = []*instance{v.service("one"), v.service("two")}
			v.planner = v.services[0].Planner(id)
			v.step(v.planner)
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
	*stage

	random   *rand.Rand
	each     int
	services []*instance
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
		v.pass(time.Duration(v.random.IntN(100)) * time.Second)
		v.step(v.planner)
	case action < 10:
		v.undoes(service, v.leases[v.random.IntN(len(v.leases))])
	default:
		v.settles(service, v.leases[v.random.IntN(len(v.leases))])
	}
}

func (v *visits) asks(service *instance, who string) {
	v.Helper()
	done := v.done()[who]
	lease, err := service.Ask(v.Context(), id, who, "")
	switch {
	case done >= v.each:
		v.wants(study.ErrEnough, err)
	case errors.Is(err, study.ErrNoQuestion):
		v.step(v.planner)
	default:
		v.must(err)
		if lease.Done != done {
			v.Errorf("%s has settled %d questions, the lease says %d", who, done, lease.Done)
		}
		v.leases = append(v.leases, lease)
	}
}

// settles answers or skips a question, perhaps a settled one.
func (v *visits) settles(service *instance, l dispatch.Lease) {
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
		v.wants(study.ErrReplaced, err)
	case before.Kind == kind && slices.Equal(before.Picks, picks):
		v.must(err)
		v.repeated++
	case before.Kind == study.Answered || before.Kind == study.Skipped:
		v.wants(study.ErrConflict, err)
	case done >= v.each:
		v.wants(study.ErrEnough, err)
		v.enough++
	default:
		v.must(err)
		if now := v.done()[l.Respondent]; now != done+1 {
			v.Errorf("an answer changes the count of %s from %d to %d", l.Respondent, done, now)
		}
	}
}

// undoes undoes an answer.
func (v *visits) undoes(service *instance, l dispatch.Lease) {
	v.Helper()
	before, done := v.at(l), v.done()[l.Respondent]
	err := service.Undo(v.Context(), id, l.Token)
	switch {
	case before.Kind == study.Answered && errors.Is(err, study.ErrTooLate) && v.clock().Sub(before.At) >= v.study().Settings.Grace:
	case before.Kind == study.Answered:
		v.must(err)
		v.undone++
		if now := v.done()[l.Respondent]; now != done-1 {
			v.Errorf("an undo changes the count of %s from %d to %d", l.Respondent, done, now)
		}
	case before.Kind == study.Undone:
		v.must(err)
	default:
		v.wants(study.ErrNotAnswered, err)
	}
}

// at returns the last outcome of a leased question, if it has one.
func (v *visits) at(l dispatch.Lease) study.Outcome {
	v.Helper()
	outcome, err := v.store.At(v.Context(), id, l.Position)
	if !errors.Is(err, study.ErrNotFound) {
		v.must(err)
	}
	return outcome
}

// done counts the standing questions of each respondent from the log.
func (v *visits) done() map[string]int {
	v.Helper()
	standing := map[study.Position]string{}
	for _, o := range v.log() {
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
		history, err := v.store.Respondent(v.Context(), id, who)
		v.must(err)
		if questions > v.each || history.Questions != questions {
			v.Fatalf("%s has %d standing questions of %d, the store says %d", who, questions, v.each, history.Questions)
		}
	}
}
