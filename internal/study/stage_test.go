package study_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/study/live"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/planning"
	"bestpick/internal/study/replay"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "25"); err != nil { // unless the command line asks for more
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// A stage is a store with a study and a clock that tests move.
type stage struct {
	*testing.T

	path  string
	store *sqlite.Store
	saved *archive.Catalogue
	arms  *choice.Catalogue
	theta []float64
	crowd crowd.Respondent
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

// id is the id of the study in most tests.
const id = "lamps"

// three returns settings with three arms in a question.
func three() study.Settings {
	return study.Settings{Strategy: racing.Settings{K: 3, Seed: 1}, Lease: time.Minute}
}

// begin creates a store with an open study of eight arms.
func begin(t *testing.T, settings study.Settings) *stage {
	t.Helper()
	s := empty(t)
	s.create(id, settings, study.Open)
	return s
}

// empty creates a store, and a catalogue of eight arms for future studies.
func empty(t *testing.T) *stage {
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
	table, err := read.Table(&text, "arms.csv", catalogue.Options{})
	s.must(err)
	encoded, err := archive.Encode(table, 0)
	s.must(err)
	s.saved, s.arms = &encoded.Catalogue, encoded.Arms
	s.prefers(4, 2)
	return s
}

// create adds a study with a given id.
func (s *stage) create(id string, settings study.Settings, state study.State) {
	s.Helper()
	var saved bytes.Buffer
	s.must(archive.Save(&saved, s.saved))
	now := s.clock()
	s.must(s.store.Create(s.Context(), study.Study{
		ID: id, Name: "Lamps", Settings: settings.WithDefaults(), Arms: s.arms.Len(), State: state, Version: 1, Created: now, Changed: now,
	}, saved.Bytes()))
}

func (s *stage) open() {
	s.Helper()
	store, err := sqlite.Open(s.path)
	s.must(err)
	s.store = store
}

// crash simulates a crash of all processes: only the store remains.
func (s *stage) crash() {
	s.Helper()
	s.must(s.store.Close())
	s.open()
}

// An instance has all parts of a service. Its methods take tokens.
type instance struct {
	*dispatch.Dispatcher
	*planning.Supervisor
	*overview.Reader
	*owner.Owner

	Live  *live.Studies
	parts *wiring.Service
}

// Answer opens a token and answers its question.
func (p *instance) Answer(ctx context.Context, id, token string, picks []int) error {
	t, err := p.OpenTicket(ctx, id, token)
	if err != nil {
		return err
	}
	return p.Dispatcher.Answer(ctx, t, picks)
}

// Skip opens a token and skips its question.
func (p *instance) Skip(ctx context.Context, id, token string) error {
	t, err := p.OpenTicket(ctx, id, token)
	if err != nil {
		return err
	}
	return p.Dispatcher.Skip(ctx, t)
}

// Undo opens a token and undoes the answer.
func (p *instance) Undo(ctx context.Context, id, token string) error {
	t, err := p.OpenTicket(ctx, id, token)
	if err != nil {
		return err
	}
	return p.Dispatcher.Undo(ctx, t)
}

// Next opens a token and asks for the question after it.
func (p *instance) Next(ctx context.Context, id, token string) (dispatch.Lease, error) {
	t, err := p.OpenTicket(ctx, id, token)
	if err != nil {
		return dispatch.Lease{}, err
	}
	return p.Dispatcher.Next(ctx, t, 0)
}

// service returns a process with the stage's clock.
func (s *stage) service(name string) *instance {
	s.Helper()
	return s.serviceOn(s.store, wiring.Options{Name: name, Clock: s.clock})
}

func (s *stage) serviceOn(store study.Store, o wiring.Options) *instance {
	s.Helper()
	service, err := wiring.New(s.Context(), store, o)
	s.must(err)
	return &instance{service.Dispatch, service.Planning, service.Overview, service.Owner, service.Live, service}
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// step takes a planning step, and reports whether the study continues.
func (s *stage) step(p *planning.Planner) bool {
	s.Helper()
	activity, err := p.Step(s.Context())
	s.must(err)
	return activity != planning.Over
}

// ask asks for a question.
func (s *stage) ask(service *instance, who string) dispatch.Lease {
	s.Helper()
	lease, err := service.Ask(s.Context(), id, who, "")
	s.must(err)
	return lease
}

// answer asks and answers one question.
func (s *stage) answer(service *instance, who string) {
	s.Helper()
	lease := s.ask(service, who)
	s.must(service.Answer(s.Context(), id, lease.Token, s.crowd.Pick(lease.Shown, lease.Picks())))
}

// run alternates plans, some answers, and time for them to count. It ends with a plan.
func (s *stage) run(service *instance, planner *planning.Planner, rounds, answers int) {
	s.Helper()
	for range rounds {
		s.step(planner)
		for i := range answers {
			s.answer(service, fmt.Sprint("r", i))
		}
		s.pass(11 * time.Second)
	}
	s.step(planner)
}

// foreign yields answers that were recorded elsewhere, to questions of three arms.
func (s *stage) foreign(n int) iter.Seq2[owner.ImportedAnswer, error] {
	return yielding(s.foreignList(n)...)
}

// yielding yields answers.
func yielding(answers ...owner.ImportedAnswer) iter.Seq2[owner.ImportedAnswer, error] {
	return func(yield func(owner.ImportedAnswer, error) bool) {
		for _, a := range answers {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// foreignList returns the answers that foreign yields.
func (s *stage) foreignList(n int) []owner.ImportedAnswer {
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	answers := make([]owner.ImportedAnswer, n)
	for i := range answers {
		question := rng.Perm(s.arms.Len())[:3]
		for _, arm := range question {
			answers[i].Shown = append(answers[i].Shown, s.arms.ID(arm))
		}
		answers[i].Picks = []string{answers[i].Shown[s.crowd.Pick(question, 1)[0]]}
		answers[i].Respondent = fmt.Sprint("f", i%50)
	}
	return answers
}

// prefers sets the preferences of the crowd; smaller numbers make studies last longer.
func (s *stage) prefers(theta ...float64) {
	s.theta = theta
	s.crowd = crowd.NewMNL(s.arms, s.theta, rand.New(rand.NewPCG(2, 2)))
}

// study returns the stored study.
func (s *stage) study() study.Study {
	s.Helper()
	st, err := s.store.Study(s.Context(), id)
	s.must(err)
	return st
}

// log returns all outcomes.
func (s *stage) log() []study.Outcome {
	s.Helper()
	log, err := s.store.Log(s.Context(), id, 0, 1<<30)
	s.must(err)
	return log
}

// plans returns all plans.
func (s *stage) plans() []study.Plan {
	s.Helper()
	plans, err := s.store.Plans(s.Context(), id, 0, 1<<30)
	s.must(err)
	return plans
}

// agreed returns the verdict, and checks that progress, replay and a verified export agree on it.
func (s *stage) agreed() study.Verdict {
	s.Helper()
	progress, err := s.service("reader").Progress(s.Context(), id)
	s.must(err)
	replayed, err := replay.Replay(s.Context(), s.store, id)
	s.must(err)
	var export bytes.Buffer
	s.must(replay.Export(s.Context(), s.store, id, &export))
	report, err := replay.Verify(&export)
	s.must(err)
	for name, other := range map[string]study.Verdict{"replayed": replayed, "verified": report.Verdict} {
		if !reflect.DeepEqual(other, progress.Verdict) {
			s.Errorf("the progress is %+v\n%s: %+v", progress.Verdict, name, other)
		}
	}
	return progress.Verdict
}

// best returns the best of some arms.
func (s *stage) best(arms ...int) int {
	best := arms[0]
	for _, arm := range arms {
		if s.arms.Utility(arm, s.theta) > s.arms.Utility(best, s.theta) {
			best = arm
		}
	}
	return best
}

// with adds an arm with about these features to a catalogue, from which the crowd then picks.
func (s *stage) with(id string, features ...float64) func(*archive.Catalogue) (*archive.Catalogue, error) {
	return func(saved *archive.Catalogue) (*archive.Catalogue, error) {
		names, values := []string{"id"}, []string{id}
		for k, column := range saved.Encoding.Columns {
			names = append(names, column.Column)
			values = append(values, fmt.Sprintf("%g", features[k]*saved.Encoding.Ball*column.Scale+column.Mean))
		}
		text := strings.Join(names, ",") + "\n" + strings.Join(values, ",") + "\n"
		added, err := saved.Add(read.Upload{Name: "more.csv", Contents: strings.NewReader(text), Size: int64(len(text))}, catalogue.Options{})
		if err != nil {
			return nil, err
		}
		s.arms = added.Arms
		s.prefers(s.theta...)
		return &added.Catalogue, nil
	}
}
