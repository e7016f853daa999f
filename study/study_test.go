package study_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"bestpick/catalogue"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/store/sqlite"
	"bestpick/strategy"
	"bestpick/study"
)

// A stage is a store with a study in it and a clock that is moved by hand.
type stage struct {
	*testing.T

	path  string
	store *sqlite.Store
	arms  *choice.Catalogue
	theta []float64
	mutex sync.Mutex
	now   time.Time
}

func (s *stage) clock() time.Time {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.now
}

func (s *stage) pass(d time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.now = s.now.Add(d)
}

const id = "lamps"

// begin makes a store with an open study of eight arms.
func begin(t *testing.T, settings study.Settings) *stage {
	t.Helper()
	s := &stage{T: t, path: filepath.Join(t.TempDir(), "studies.db"), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	s.open()
	t.Cleanup(func() { _ = s.store.Close() })
	rng := rand.New(rand.NewPCG(1, 1))
	var text bytes.Buffer
	text.WriteString("id,x,y\n")
	for i := range 8 {
		fmt.Fprintf(&text, "a%d,%.4f,%.4f\n", i, rng.NormFloat64(), rng.NormFloat64())
	}
	read, err := catalogue.Read(&text, "arms.csv", catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := catalogue.Encode(read, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.arms, s.theta = encoded.Arms, []float64{4, 2}
	var saved bytes.Buffer
	if err := catalogue.Save(&saved, &encoded.Saved); err != nil {
		t.Fatal(err)
	}
	err = s.store.Create(t.Context(), study.Study{ID: id, Name: "Lamps", Settings: settings.WithDefaults(), State: study.Open, Version: 1, Created: s.now, Changed: s.now}, saved.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) open() {
	s.Helper()
	store, err := sqlite.Open(s.path)
	if err != nil {
		s.Fatal(err)
	}
	s.store = store
}

func (s *stage) service(name string) *study.Service {
	s.Helper()
	service, err := study.NewService(s.Context(), s.store, study.Options{Name: name, Clock: s.clock})
	if err != nil {
		s.Fatal(err)
	}
	return service
}

func (s *stage) step(p *study.Planner) bool {
	s.Helper()
	activity, err := p.Step(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return activity != study.Over
}

// answer asks and answers one question.
func (s *stage) answer(service *study.Service, who string, respondent crowd.Respondent) {
	s.Helper()
	lease, err := service.Ask(s.Context(), id, who, "")
	if err != nil {
		s.Fatal(err)
	}
	if err := service.Answer(s.Context(), id, lease.Token, respondent.Pick(lease.Shown, lease.Picks)); err != nil {
		s.Fatal(err)
	}
}

// TestStudyIsCertified: a study ends certified with the best arm, and its log leads to the same
// verdict, whether it is replayed from the beginning or from a snapshot.
func TestStudyIsCertified(t *testing.T) {
	s := begin(t, study.Settings{Strategy: strategy.Settings{K: 3}})
	service := s.service("one")
	planner := service.Planner(id)
	respondent := crowd.NewMNL(s.arms, s.theta, rand.New(rand.NewPCG(2, 2)))
	for round := 0; s.step(planner); round++ {
		if round > 800 {
			t.Fatal("the study does not end")
		}
		for i := range 10 {
			s.answer(service, fmt.Sprint("r", i%5), respondent)
		}
		s.pass(11 * time.Second)
		if round%10 == 9 { // another process takes over after a crash
			if err := s.store.Close(); err != nil {
				t.Fatal(err)
			}
			s.open()
			service = s.service(fmt.Sprint("process ", round))
			planner = service.Planner(id)
		}
	}
	ended, err := s.store.Study(t.Context(), id)
	if err != nil || ended.State != study.Done || ended.Reason != study.Certified {
		t.Fatalf("%+v, %v", ended, err)
	}
	best := 0
	for arm := range s.arms.Len() {
		if s.arms.Utility(arm, s.theta) > s.arms.Utility(best, s.theta) {
			best = arm
		}
	}
	verdict, err := study.Replay(t.Context(), s.store, id)
	if err != nil {
		t.Fatal(err)
	}
	if verdict.Leader != best || verdict.Status != "certified" {
		t.Errorf("%+v, the best arm is %d", verdict, best)
	}
	if _, err := service.Ask(t.Context(), id, "late", ""); !errors.Is(err, study.ErrNotOpen) {
		t.Errorf("a study that is done asks: %v", err)
	}
}

// TestAnswersAreIdempotent: the same again is fine, another answer is a conflict, undo works until
// the answer counts, and tokens of one's own making do not.
func TestAnswersAreIdempotent(t *testing.T) {
	s := begin(t, study.Settings{Strategy: strategy.Settings{K: 3}, Lease: time.Minute})
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	ctx := t.Context()
	lease, err := service.Ask(ctx, id, "anna", "")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := service.Answer(ctx, id, lease.Token, []int{1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := service.Answer(ctx, id, lease.Token, []int{2}); !errors.Is(err, study.ErrConflict) {
		t.Errorf("another answer: %v", err)
	}
	if err := service.Skip(ctx, id, lease.Token); !errors.Is(err, study.ErrConflict) {
		t.Errorf("skipped after an answer: %v", err)
	}
	for range 2 {
		if err := service.Undo(ctx, id, lease.Token); err != nil {
			t.Fatal(err)
		}
	}
	if err := service.Answer(ctx, id, lease.Token, []int{2}); err != nil {
		t.Errorf("another answer after undo: %v", err)
	}
	s.pass(11 * time.Second)
	s.step(planner)
	if err := service.Undo(ctx, id, lease.Token); !errors.Is(err, study.ErrTooLate) {
		t.Errorf("undo of an answer that counts: %v", err)
	}
	for _, picks := range [][]int{nil, {3}, {-1}, {0, 1}} {
		var wrong *study.FieldError
		if err := service.Answer(ctx, id, lease.Token, picks); !errors.As(err, &wrong) {
			t.Errorf("picks %v: %v", picks, err)
		}
	}
	for _, token := range []string{"", "abc", lease.Token[1:], lease.Token + "A", "A" + lease.Token[1:]} {
		if err := service.Answer(ctx, id, token, []int{0}); !errors.Is(err, study.ErrToken) {
			t.Errorf("token %q: %v", token, err)
		}
	}
	verdict, err := study.Replay(ctx, s.store, id)
	if err != nil || verdict.Answered != 1 {
		t.Errorf("%+v, %v", verdict, err)
	}
}

// TestLateAnswers: an answer after the lease counts as long as the question was not given to
// somebody else, and is refused after that; the question is asked again.
func TestLateAnswers(t *testing.T) {
	s := begin(t, study.Settings{Strategy: strategy.Settings{K: 3}, Lease: time.Minute})
	service := s.service("one")
	planner := service.Planner(id)
	s.step(planner)
	ctx := t.Context()
	first, err := service.Ask(ctx, id, "anna", "")
	if err != nil {
		t.Fatal(err)
	}
	second, err := service.Ask(ctx, id, "ben", "")
	if err != nil {
		t.Fatal(err)
	}
	s.pass(3 * time.Minute)
	if err := service.Answer(ctx, id, first.Token, []int{0}); err != nil {
		t.Errorf("a late answer to a question that is nobody else's: %v", err)
	}
	s.step(planner)
	if err := service.Answer(ctx, id, second.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		t.Errorf("an answer to a question that was replaced: %v", err)
	}
	s.pass(11 * time.Second)
	s.step(planner)
	again := false
	for i := range 100 {
		lease, err := service.Ask(ctx, id, strconv.Itoa(i), "")
		if errors.Is(err, study.ErrNone) {
			s.step(planner)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		again = again || slices.Equal(lease.Shown, second.Shown)
	}
	if !again {
		t.Error("the lost question is not asked again")
	}
	if _, err := study.Replay(ctx, s.store, id); err != nil {
		t.Error(err)
	}
}

// TestNobodyIsAskedTheSameTwiceInARow, whatever the order of the arms, as long as there is another
// question.
func TestNobodyIsAskedTheSameTwiceInARow(t *testing.T) {
	s := begin(t, study.Settings{Strategy: strategy.Settings{K: 2}})
	if err := s.store.Lead(t.Context(), id, "one", s.now, s.now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	plan := study.Plan{Number: 1, Questions: [][]int{{0, 1}, {1, 0}, {2, 3}, {0, 1}, {0, 1}, {0, 1}}, Verdict: []byte("{}"), At: s.now}
	if err := s.store.Append(t.Context(), id, "one", plan); err != nil {
		t.Fatal(err)
	}
	service := s.service("one")
	var asked [][]int
	for range 6 {
		lease, err := service.Ask(t.Context(), id, "anna", "")
		if err != nil {
			t.Fatal(err)
		}
		asked = append(asked, lease.Shown)
	}
	if want := [][]int{{0, 1}, {2, 3}, {1, 0}, {0, 1}, {0, 1}, {0, 1}}; !slices.EqualFunc(asked, want, slices.Equal) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	if _, err := service.Ask(t.Context(), id, "anna", ""); !errors.Is(err, study.ErrNone) {
		t.Errorf("the deck is empty: %v", err)
	}
}

// TestManyRespondentsAndReplicas: fifty respondents on two services with planners of their own, one
// of which stops midway. Every acknowledged answer is in the log exactly once, and the verdict
// follows from it.
func TestManyRespondentsAndReplicas(t *testing.T) {
	s := begin(t, study.Settings{Strategy: strategy.Settings{K: 3}, Grace: -1, Budget: 1500})
	services := []*study.Service{s.service("one"), s.service("two")}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var planning sync.WaitGroup
	for i, service := range services {
		planning.Go(func() {
			planner := service.Planner(id)
			for step := 0; ; step++ {
				activity, err := planner.Step(ctx)
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				if activity == study.Over {
					cancel()
				}
				if ctx.Err() != nil || i == 0 && step == 30 {
					return
				}
				s.pass(200 * time.Millisecond)
				time.Sleep(time.Millisecond)
			}
		})
	}
	var mutex sync.Mutex
	acknowledged := map[string]int{}
	var answering sync.WaitGroup
	for who := range 50 {
		answering.Go(func() {
			service := services[who%2]
			respondent := crowd.NewMNL(s.arms, s.theta, rand.New(rand.NewPCG(uint64(who), 2)))
			for ctx.Err() == nil {
				lease, err := service.Ask(ctx, id, fmt.Sprint("r", who), "")
				if err != nil {
					time.Sleep(time.Millisecond)
					continue
				}
				if service.Answer(ctx, id, lease.Token, respondent.Pick(lease.Shown, 1)) == nil {
					mutex.Lock()
					acknowledged[lease.Token]++
					mutex.Unlock()
				}
			}
		})
	}
	answering.Wait()
	planning.Wait()
	var log []study.Outcome
	for {
		some, err := s.store.Log(t.Context(), id, int64(len(log)), 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(some) == 0 {
			break
		}
		log = append(log, some...)
	}
	answers, seen := 0, map[study.Position]bool{}
	for _, o := range log {
		if o.Kind == study.Answered {
			answers++
			if seen[o.Position] {
				t.Errorf("question %d is answered twice", o.Position)
			}
			seen[o.Position] = true
		}
	}
	if answers < len(acknowledged) {
		t.Errorf("%d answers in the log, %d were acknowledged", answers, len(acknowledged))
	}
	ended, err := s.store.Study(t.Context(), id)
	if err != nil || ended.State != study.Done {
		t.Errorf("%+v, %v", ended, err)
	}
	if _, err := study.Replay(t.Context(), s.store, id); err != nil {
		t.Error(err)
	}
}
