// Package storetest is the conformance suite of [sqlstore.Contract]. Both stores pass it.
package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
	"bestpick/strategy/racing"
)

// A Store is a store of a service.
type Store = sqlstore.Contract

// A placer returns a function that opens the store at one place, which is empty at first. It may be
// called several times, also while the store is open. The suite closes the stores that it opens.
type placer func(t testing.TB) (open func() (Store, error))

// runSuite tests a store.
func runSuite(t *testing.T, place placer) {
	t.Helper()
	t.Run("transcripts", func(t *testing.T) { runTranscripts(t, place) })
	for name, test := range map[string]func(*stage){
		"many members":            manyMembers,
		"many respondents":        manyRespondents,
		"undone at once":          undoneAtOnce,
		"import during records":   importDuringRecords,
		"import given up":         importGivenUp,
		"import large":            importLarge,
		"import fails":            importFails,
		"import and delete":       importAndDelete,
		"import and erase":        importAndErase,
		"respondents of any name": respondentsOfAnyName,
		"limit at once":           limitAtOnce,
		"quota at once":           quotaAtOnce,
		"numbers take no place":   numbersTakeNoPlace,
		"adopt nothing bad":       adoptNothingBad,
		"delete during records":   deleteDuringRecords,
		"erase at once":           eraseAtOnce,
		"remove names":            removeNames,
		"deal at once":            dealAtOnce,
		"backlog":                 backlog,
		"refused":                 refused,
		"budget is shared":        budgetIsShared,
		"first token at once":     firstTokenAtOnce,
		"audit at once":           auditAtOnce,
		"jobs once":               jobsOnce,
		"jobs again":              jobsAgain,
		"jobs at once":            jobsAtOnce,
		"jobs drained":            jobsDrained,
		"jobs prolonged":          jobsProlonged,
		"wake":                    wake,
		"secret":                  secret,
		"unknown studies":         unknown,
		"cancelled":               cancelled,
		"closed":                  closed,
		"opened at once":          openedAtOnce,
	} {
		t.Run(name, func(t *testing.T) { test(&stage{T: t, open: place(t)}) })
	}
}

// A stage is the fixture of one test.
type stage struct {
	*testing.T

	open func() (Store, error)
}

// store opens the store.
func (s *stage) store() Store {
	s.Helper()
	store, err := s.open()
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { s.must(store.Close()) })
	return store
}

// withStudy opens the store and creates the study a in it.
func (s *stage) withStudy() Store {
	s.Helper()
	store := s.store()
	s.must(store.Create(s.Context(), sample("a"), []byte("arms")))
	return store
}

// must ends the test if there is an error.
func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// wants reports an error that is not the one expected.
func (s *stage) wants(want, got error) {
	s.Helper()
	if !errors.Is(got, want) {
		s.Errorf("got error %v, want %v", got, want)
	}
}

// same compares a result of the store: same(s, want)(store.Study(ctx, "a")).
func same[T any](s *stage, want T, options ...cmp.Option) func(got T, err error) {
	return func(got T, err error) {
		s.Helper()
		s.must(err)
		if diff := cmp.Diff(want, got, options...); diff != "" {
			s.Error(diff)
		}
	}
}

// record writes outcomes of the study a, and returns the errors of all.
func (s *stage) record(store Store, each int, outcomes ...study.Outcome) error {
	refused, err := store.Record(s.Context(), "a", study.Terms{Each: each}, outcomes...)
	return errors.Join(append(refused, err)...)
}

// together makes n concurrent calls and returns how many succeed. The others must return the error refused.
func (s *stage) together(n int, refused error, call func(g int) error) int {
	s.Helper()
	var succeeded atomic.Int32
	var calls sync.WaitGroup
	for g := range n {
		calls.Go(func() {
			if err := whileBusy(func() error { return call(g) }); err == nil {
				succeeded.Add(1)
			} else if !errors.Is(err, refused) {
				s.Errorf("call %d: got error %v, want %v", g, err, refused)
			}
		})
	}
	calls.Wait()
	return int(succeeded.Load())
}

// whileBusy repeats a call while its study is locked, as it may be on a slow machine, up to twenty times.
func whileBusy(call func() error) (err error) {
	for range 20 {
		if err = call(); !errors.Is(err, study.ErrBusy) {
			break
		}
	}
	return err
}

// log returns the whole log of a study.
func (s *stage) log(store Store, id string) []study.Outcome {
	s.Helper()
	outcomes, err := store.Log(s.Context(), id, 0, 1<<30)
	s.must(err)
	return outcomes
}

// numbered reports an error if the numbers are not 1, 2, 3, ….
func (s *stage) numbered(outcomes []study.Outcome) {
	s.Helper()
	for i, o := range outcomes {
		if o.Number != int64(i)+1 {
			s.Fatalf("outcome %d of the log has number %d", i+1, o.Number)
		}
	}
}

// lead acquires the lease of the study a.
func (s *stage) lead(store Store, until time.Time) {
	s.Helper()
	_, err := store.AcquireLease(s.Context(), "a", planner, start, until)
	s.must(err)
}

// planned acquires the lease for an hour and writes a plan with the given number of questions.
func (s *stage) planned(store Store, questions int) {
	s.Helper()
	s.lead(store, start.Add(time.Hour))
	s.must(store.Append(s.Context(), "a", planner, s.next(store, questions)))
}

// next returns the next plan of the study a, which counts all outcomes in the log.
func (s *stage) next(store Store, questions int) study.Plan {
	s.Helper()
	p := study.Plan{Number: 1, Verdict: []byte(`{"leader":2}`), At: start}
	last, err := store.LastPlan(s.Context(), "a")
	if err == nil {
		p.Number, p.First = last.Number+1, last.First+study.Position(len(last.Questions))
	} else if !errors.Is(err, study.ErrNotFound) {
		s.Fatal(err)
	}
	p.LastCounted = int64(len(s.log(store, "a")))
	p.LastSeen = p.LastCounted
	for i := range questions {
		p.Questions = append(p.Questions, question(p.First+study.Position(i)))
	}
	return p
}

// planner is the planner of most tests.
const planner = "planner"

// start is the time at which all tests begin, in the precision of the stores.
var start = time.Date(2025, time.March, 30, 1, 59, 59, 123456000, time.UTC)

// sample returns a study with all fields set.
func sample(id string) study.Study {
	return study.Study{
		ID: id, Name: "Kameras für “draußen”", Prompt: "Which one?\x00\n", State: study.Open, Version: 1,
		Created: start, Changed: start, Arms: 6, Withdrawn: []int{5},
		Settings: study.Settings{
			Strategy: racing.Settings{
				K: 4, Delta: 0.1, Seed: 1<<64 - 1,
				Model: racing.Model{Segments: []racing.Segment{{Name: "a", Share: 1.0 / 3}, {Name: "b", Share: 2.0 / 3}}},
			},
			Picks: 2, Budget: 1_000_000, PerRespondent: 20, Lease: time.Minute, Grace: -1,
		},
	}
}

// question returns the question at a position of the tests' decks.
func question(p study.Position) []int { return []int{int(p), int(p) + 1, int(p) + 2} }

// answer returns an answer to a question, with all fields set.
func answer(p study.Position) study.Outcome {
	return study.Outcome{
		Position: p, Kind: study.Answered, Shown: question(p), Picks: []int{2, 0},
		Respondent: fmt.Sprintf("Zoë %d", p), Segment: "north", Plan: 1,
		Asked: start, At: start.Add(time.Duration(p) * time.Microsecond),
		Note: study.Note{
			Rationale: "“B”\nis <warmer>", Metadata: map[string]string{"température": "0.5", "run": ""},
			Judge: study.Model,
		},
	}
}

// imported returns an answer to a question that was asked elsewhere.
func imported(i int) study.Outcome {
	o := answer(study.Position(i))
	o.Position, o.Kind, o.Plan = study.OutsideDeck, study.Imported, 0
	return o
}

// became returns an outcome of another kind.
func became(p study.Position, kind study.Kind) study.Outcome {
	return study.Outcome{Position: p, Kind: kind, At: start}
}

// hook returns a webhook with all fields set.
func hook(id string) webhook.Hook {
	return webhook.Hook{
		Study: id, URL: "https://example.com/“hook”?a=1", Secret: "secret of a hook", Delivery: "delivery", Made: start,
		State: webhook.Waiting, Attempts: 3, First: start.Add(time.Microsecond), Last: start.Add(time.Second), Status: 500,
		Problem: "“Zoë” '%\\", Next: start.Add(time.Minute),
	}
}

// newHook returns a webhook before the first attempt.
func newHook(id string) webhook.Hook {
	return webhook.Hook{
		Study: id, URL: "https://example.com", Secret: "secret of a hook", Delivery: "delivery",
		Made: start, State: webhook.Waiting, Next: start,
	}
}
