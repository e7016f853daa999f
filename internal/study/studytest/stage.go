// Package studytest has the stage of tests of live studies: a store with a study of lamps, services on it,
// and a clock that tests move.
package studytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// A Stage is a store with a study and a clock that tests move.
type Stage struct {
	*testing.T

	Path  string
	Store *sqlite.Store
	Saved *archive.Catalogue
	Arms  *choice.Catalogue
	Theta []float64
	Crowd crowd.Respondent
	mutex sync.Mutex
	now   time.Time
}

// Clock returns the time on the clock.
func (s *Stage) Clock() time.Time {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.now
}

// SetClock sets the clock.
func (s *Stage) SetClock(now time.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.now = now
}

// Pass advances the clock.
func (s *Stage) Pass(d time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.now = s.now.Add(d)
}

// ID is the id of the study in most tests.
const ID = "lamps"

// Three returns settings with three arms in a question.
func Three() study.Settings {
	return study.Settings{Strategy: racing.Settings{K: 3, Seed: 1}, Lease: time.Minute}
}

// Begin creates a store with an open study of eight arms.
func Begin(t *testing.T, settings study.Settings) *Stage {
	t.Helper()
	s := Empty(t)
	s.Create(ID, settings, study.Open)
	return s
}

// Empty creates a store, and a catalogue of eight arms for future studies.
func Empty(t *testing.T) *Stage {
	t.Helper()
	s := &Stage{T: t, Path: filepath.Join(t.TempDir(), "studies.db"), now: time.Date(2026, 11, 15, 12, 0, 0, 987_654_321, time.UTC)}
	s.open()
	t.Cleanup(func() { _ = s.Store.Close() })
	rng := rand.New(rand.NewPCG(1, 1))
	var text bytes.Buffer
	text.WriteString("id,x,y\n")
	for i := range 8 {
		fmt.Fprintf(&text, "a%d,%.4f,%.4f\n", i, rng.NormFloat64(), rng.NormFloat64())
	}
	table, err := read.Table(&text, "arms.csv", catalogue.Options{})
	s.Must(err)
	encoded, err := archive.Encode(table, 0)
	s.Must(err)
	s.Saved, s.Arms = &encoded.Catalogue, encoded.Arms
	s.Prefers(4, 2)
	return s
}

// Create adds a study with a given id.
func (s *Stage) Create(id string, settings study.Settings, state study.State) {
	s.Helper()
	var saved bytes.Buffer
	s.Must(archive.Save(&saved, s.Saved))
	now := s.Clock()
	s.Must(s.Store.Create(s.Context(), study.Study{
		ID: id, Name: "Lamps", Prompt: "Which one?", Settings: settings.WithDefaults(), Arms: s.Arms.Len(), State: state,
		Version: 1, Created: now,
		Changed: now, Salt: "salt",
	}, saved.Bytes()))
}

func (s *Stage) open() {
	s.Helper()
	store, err := sqlite.Open(s.Path)
	s.Must(err)
	s.Store = store
}

// Crash simulates a crash of all processes: only the store remains.
func (s *Stage) Crash() {
	s.Helper()
	s.Must(s.Store.Close())
	s.open()
}

// A Service has all parts of a service. Its methods take tokens.
type Service struct {
	*dispatch.Dispatcher
	*planning.Supervisor
	*overview.Reader
	*owner.Owner

	Live  *live.Studies
	Parts *wiring.Service
}

// Answer opens a token and answers its question.
func (p *Service) Answer(ctx context.Context, id, token string, picks []int) error {
	return p.withTicket(ctx, id, token, func(ctx context.Context, t dispatch.Ticket) error {
		return p.Dispatcher.Answer(ctx, t, picks)
	})
}

// Skip opens a token and skips its question.
func (p *Service) Skip(ctx context.Context, id, token string) error {
	return p.withTicket(ctx, id, token, p.Dispatcher.Skip)
}

// Undo opens a token and undoes the answer.
func (p *Service) Undo(ctx context.Context, id, token string) error {
	return p.withTicket(ctx, id, token, p.Dispatcher.Undo)
}

// withTicket opens a token and calls do with its ticket.
func (p *Service) withTicket(
	ctx context.Context, id, token string, do func(context.Context, dispatch.Ticket) error,
) error {
	t, err := p.OpenTicket(ctx, id, token)
	if err != nil {
		return err
	}
	return do(ctx, t)
}

// Next opens a token and asks for the question after it.
func (p *Service) Next(ctx context.Context, id, token string) (dispatch.Lease, error) {
	t, err := p.OpenTicket(ctx, id, token)
	if err != nil {
		return dispatch.Lease{}, err
	}
	return p.Dispatcher.Next(ctx, t, 0)
}

// Service returns a process with the stage's clock.
func (s *Stage) Service(name string) *Service {
	s.Helper()
	return s.ServiceOn(s.Store, wiring.Options{Name: name, Clock: s.Clock})
}

// ServiceOn returns a service on a store.
func (s *Stage) ServiceOn(store study.Store, o wiring.Options) *Service {
	s.Helper()
	service, err := wiring.New(s.Context(), store, o)
	s.Must(err)
	return &Service{service.Dispatch, service.Planning, service.Overview, service.Owner, service.Live, service}
}

// Must fails the test if err is not nil.
func (s *Stage) Must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// Step takes a planning step, and reports whether the study continues.
func (s *Stage) Step(p *planning.Planner) bool {
	s.Helper()
	activity, err := p.Step(s.Context())
	s.Must(err)
	return activity != planning.Over
}

// Finish takes planning steps until the study needs no more.
func (s *Stage) Finish(p *planning.Planner) {
	s.Helper()
	const maxSteps = 1000
	for range maxSteps {
		if !s.Step(p) {
			return
		}
	}
	s.Fatalf("the study is not over after %d planning steps", maxSteps)
}

// Ask asks for a question.
func (s *Stage) Ask(service *Service, who string) dispatch.Lease {
	s.Helper()
	lease, err := service.Ask(s.Context(), ID, who, "")
	s.Must(err)
	return lease
}

// Answer asks and answers one question.
func (s *Stage) Answer(service *Service, who string) {
	s.Helper()
	lease := s.Ask(service, who)
	s.Must(service.Answer(s.Context(), ID, lease.Token, s.Crowd.Pick(lease.Shown, lease.Picks())))
}

// Work alternates plans, some answers, and time for them to count. It ends with a plan.
func (s *Stage) Work(service *Service, planner *planning.Planner, rounds, answers int) {
	s.Helper()
	for range rounds {
		s.Step(planner)
		for i := range answers {
			s.Answer(service, fmt.Sprint("r", i))
		}
		s.Pass(11 * time.Second)
	}
	s.Step(planner)
}

// Foreign yields answers that were recorded elsewhere, to questions of three arms.
func (s *Stage) Foreign(n int) iter.Seq2[owner.ImportedAnswer, error] {
	return Yielding(s.ForeignList(n)...)
}

// Yielding yields answers.
func Yielding(answers ...owner.ImportedAnswer) iter.Seq2[owner.ImportedAnswer, error] {
	return func(yield func(owner.ImportedAnswer, error) bool) {
		for _, a := range answers {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// ForeignList returns the answers that foreign yields.
func (s *Stage) ForeignList(n int) []owner.ImportedAnswer {
	rng := rand.New(rand.NewPCG(4, uint64(n)))
	answers := make([]owner.ImportedAnswer, n)
	for i := range answers {
		question := rng.Perm(s.Arms.Len())[:3]
		for _, arm := range question {
			answers[i].Shown = append(answers[i].Shown, s.Arms.ID(arm))
		}
		answers[i].Picks = []string{answers[i].Shown[s.Crowd.Pick(question, 1)[0]]}
		answers[i].Respondent = fmt.Sprint("f", i%50)
	}
	return answers
}

// Prefers sets the preferences of the crowd; smaller numbers make studies last longer.
func (s *Stage) Prefers(theta ...float64) {
	s.Theta = theta
	s.Crowd = crowd.NewMNL(s.Arms, s.Theta, rand.New(rand.NewPCG(2, 2)))
}

// Study returns the stored study.
func (s *Stage) Study() study.Study {
	s.Helper()
	st, err := s.Store.Study(s.Context(), ID)
	s.Must(err)
	return st
}

// Outcomes returns all outcomes.
func (s *Stage) Outcomes() []study.Outcome {
	s.Helper()
	log, err := s.Store.Log(s.Context(), ID, 0, 1<<30)
	s.Must(err)
	return log
}

// Plans returns all plans.
func (s *Stage) Plans() []study.Plan {
	s.Helper()
	plans, err := s.Store.Plans(s.Context(), ID, 0, 1<<30)
	s.Must(err)
	return plans
}

// Agreed returns the verdict, and checks that progress, replay and a verified export agree on it.
func (s *Stage) Agreed() study.Verdict {
	s.Helper()
	progress, err := s.Service("reader").Progress(s.Context(), ID)
	s.Must(err)
	replayed, err := replay.Replay(s.Context(), s.Store, ID)
	s.Must(err)
	var export bytes.Buffer
	s.Must(replay.Export(s.Context(), s.Store, ID, &export))
	report, err := replay.Verify(&export)
	s.Must(err)
	for name, other := range map[string]study.Verdict{"replayed": replayed, "verified": report.Verdict} {
		if !reflect.DeepEqual(other, progress.Verdict) {
			s.Errorf("the progress is %+v\n%s: %+v", progress.Verdict, name, other)
		}
	}
	return progress.Verdict
}

// Best returns the best of some arms.
func (s *Stage) Best(arms ...int) int {
	best := arms[0]
	for _, arm := range arms {
		if s.Arms.Utility(arm, s.Theta) > s.Arms.Utility(best, s.Theta) {
			best = arm
		}
	}
	return best
}

// WithArm adds an arm with about these features to a catalogue, from which the crowd then picks.
func (s *Stage) WithArm(id string, features ...float64) func(*archive.Catalogue) (*archive.Catalogue, error) {
	return func(saved *archive.Catalogue) (*archive.Catalogue, error) {
		names, values := []string{"id"}, []string{id}
		for k, column := range saved.Encoding.Columns {
			names = append(names, column.Column)
			values = append(values, fmt.Sprintf("%g", features[k]*saved.Encoding.Ball*column.Scale+column.Mean))
		}
		text := strings.Join(names, ",") + "\n" + strings.Join(values, ",") + "\n"
		added, err := saved.Add(read.Upload{Name: "more.csv", Contents: strings.NewReader(text), Size: int64(len(text))},
			catalogue.Options{})
		if err != nil {
			return nil, err
		}
		s.Arms = added.Arms
		s.Prefers(s.Theta...)
		return &added.Catalogue, nil
	}
}

// AskedAgain fails unless a question is asked again.
func (s *Stage) AskedAgain(service *Service, planner *planning.Planner, shown []int) {
	s.Helper()
	s.Step(planner)
	for i := range 40 {
		lease, err := service.Ask(s.Context(), ID, strconv.Itoa(i), "")
		if errors.Is(err, study.ErrNoQuestion) {
			s.Step(planner)
			continue
		}
		s.Must(err)
		if slices.Equal(lease.Shown, shown) {
			return
		}
	}
	s.Errorf("question %v is not asked again", shown)
}

// NewStore returns another store.
func NewStore(t *testing.T) *sqlite.Store {
	t.Helper()
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "elsewhere.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// Limited are settings with a limit of questions per respondent.
func Limited(each int) study.Settings {
	settings := Three()
	settings.PerRespondent = each
	return settings
}

// Erase erases a respondent and returns the result.
func (s *Stage) Erase(service *Service, who string) owner.Erasure {
	s.Helper()
	e, err := service.Erase(s.Context(), ID, who)
	s.Must(err)
	s.Unknown(who)
	return e
}

// Unknown checks that neither the log nor an export has data of a respondent.
func (s *Stage) Unknown(who string) {
	s.Helper()
	if strings.Contains(s.Exported(), `"`+who+`"`) {
		s.Errorf("the export contains %s", who)
	}
	for _, o := range s.Outcomes() {
		if o.Respondent == who || o.Kind == study.Erased &&
			!cmp.Equal(o, study.Outcome{Number: o.Number, Position: o.Position, Kind: o.Kind, At: o.At}) {
			s.Errorf("the log has %+v", o)
		}
	}
	extent, err := overview.ReadExtent(s.Context(), s.Store, ID)
	s.Must(err)
	for o, err := range overview.Standing(s.Context(), s.Store, ID, extent) {
		s.Must(err)
		if o.Respondent == who || o.Kind == study.Erased {
			s.Errorf("the export has %+v", o)
		}
	}
}

// Refused checks that an answer to a lost question is refused.
func (s *Stage) Refused(service *Service, lease dispatch.Lease) {
	s.Helper()
	if err := service.Answer(s.Context(), ID, lease.Token, []int{0}); !errors.Is(err, study.ErrReplaced) {
		s.Errorf("got %v", err)
	}
}

// Told returns an answer as it would be imported.
func (s *Stage) Told(o study.Outcome) (f owner.ImportedAnswer) {
	for _, arm := range o.Shown {
		f.Shown = append(f.Shown, s.Arms.ID(arm))
	}
	for _, slot := range o.Picks {
		f.Picks = append(f.Picks, f.Shown[slot])
	}
	f.Respondent = o.Respondent
	return f
}

// Answered returns how many answers are counted.
func (s *Stage) Answered() int {
	s.Helper()
	progress, err := s.Service("counter").Progress(s.Context(), ID)
	s.Must(err)
	return progress.Verdict.Answered
}

// Exported returns the log of the study.
func (s *Stage) Exported() string {
	s.Helper()
	var text bytes.Buffer
	s.Must(replay.Export(s.Context(), s.Store, ID, &text))
	return text.String()
}

// Left returns the number of desks in the memory of a process, and of events that goroutines wait for.
func (p *Service) Left(t *testing.T) (desks, events int) {
	t.Helper()
	cache := reflect.ValueOf(p.Live).Elem()
	for _, notifier := range []string{"PlanWork", "Updates"} {
		events += cache.FieldByName(notifier).FieldByName("waiting").Len()
	}
	for kept := cache.FieldByName("kept").MapRange(); kept.Next(); {
		if !kept.Value().Elem().FieldByName("Value").Elem().Elem().FieldByName("memory").Index(int(live.Desk)).IsNil() {
			desks++
		}
	}
	return desks, events
}

// Wants reports an unexpected error.
func (s *Stage) Wants(want, got error) {
	s.Helper()
	if !errors.Is(got, want) {
		s.Errorf("got error %v, want %v", got, want)
	}
}
