package owner_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/strategy/racing"
)

// TestImport: imported answers count immediately and once, besides answers to the study's
// questions, and a batch is imported once.
func TestImport(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	planner := service.Planner(id)
	s.Work(service, planner, 1, 5)
	batch := s.ForeignList(20)
	batch[0].Asked, batch[0].At = s.Clock().AddDate(-3, 0, 0), s.Clock().AddDate(3, 0, 0)
	s.Must(service.Import(t.Context(), id, "survey", studytest.Yielding(batch...)))
	for range 2 {
		if err := service.Import(t.Context(), id, "survey", s.Foreign(3)); !errors.Is(err, study.ErrKnown) {
			t.Errorf("a repeated batch: %v", err)
		}
	}
	another := s.ForeignList(3)
	s.Must(service.Import(t.Context(), id, "another", studytest.Yielding(another...)))
	s.Step(planner)
	if verdict := s.Agreed(); verdict.Answered != 28 {
		t.Errorf("%+v", verdict)
	}
	imported := 0
	for _, o := range s.Outcomes() {
		if o.Kind != study.Imported {
			continue
		}
		a := append(batch, another...)[imported]
		imported++
		if o.Position != study.OutsideDeck || o.Respondent != a.Respondent || len(o.Shown) != 3 ||
			s.Arms.ID(o.Shown[1]) != a.Shown[1] || s.Arms.ID(o.Shown[o.Picks[0]]) != a.Picks[0] || o.At.IsZero() {
			t.Errorf("%+v became %+v", a, o)
		}
	}
	if imported != 23 {
		t.Errorf("%d were imported", imported)
	}
	s.Work(service, planner, 1, 5)
	if verdict := s.Agreed(); verdict.Answered != 33 {
		t.Errorf("%+v", verdict)
	}
}

// TestImportIntoDraft: answers that are imported into a draft count when it is opened. The import
// fixes the numbers of its arms and the model.
func TestImportIntoDraft(t *testing.T) {
	s := studytest.Empty(t)
	s.Create(id, studytest.Three(), study.Draft)
	service := s.Service("one")
	s.Must(service.Import(t.Context(), id, "survey", s.Foreign(10)))
	if _, err := service.SetArms(t.Context(), id, owner.Any, s.Saved); !errors.Is(err, study.ErrStarted) {
		t.Errorf("the arms can be replaced: %v", err)
	}
	for name, edit := range map[string]func(*racing.Model){
		"slots":    func(m *racing.Model) { m.Slots = true },
		"clicks":   func(m *racing.Model) { m.Clicks = true },
		"segments": func(m *racing.Model) { m.Segments = []racing.Segment{{Name: "a", Share: 1}, {Name: "b", Share: 1}} },
	} {
		_, err := service.Change(t.Context(), id, owner.Any,
			func(st *study.Study) error { edit(&st.Settings.Strategy.Model); return nil })
		if !errors.Is(err, study.ErrStarted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := service.Change(t.Context(), id, owner.Any, func(st *study.Study) error { st.Settings.Strategy.K = 2; return nil })
	s.Must(err)
	_, err = service.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.5, 0.5))
	s.Must(err)
	about := owner.ImportedAnswer{Shown: []string{"new", "a0"}, Picks: []string{"new"}}
	s.Must(service.Import(t.Context(), id, "of the new one", studytest.Yielding(about)))
	_, err = service.SetState(t.Context(), id, owner.Any, study.Open)
	s.Must(err)
	planner := service.Planner(id)
	s.Work(service, planner, 1, 5)
	if verdict := s.Agreed(); verdict.Answered != 16 {
		t.Errorf("%+v", verdict)
	}
}

// TestImportAndArmsAtOnce: if the arms are replaced during an import, the import looks up their
// numbers again; if an import arrives while the arms are replaced, they are not replaced.
func TestImportAndArmsAtOnce(t *testing.T) {
	s := studytest.Empty(t)
	s.Create(id, studytest.Three(), study.Draft)
	s.Create("other", studytest.Three(), study.Draft)
	store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
	service, other := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock}), s.Service("two")
	answers := []owner.ImportedAnswer{{Shown: []string{"a0", "a1"}, Picks: []string{"a1"}}}

	added, err := s.WithArm("new", 1, 1)(s.Saved)
	s.Must(err)
	store.Before = studytest.Once("Change", func() error {
		_, err := other.SetArms(t.Context(), id, owner.Any, added)
		return err
	})
	s.Must(service.Import(t.Context(), id, "batch", studytest.Yielding(answers...)))
	if st := s.Study(); st.Arms != 9 || !st.Imported {
		t.Errorf("%+v", st)
	}
	store.Before = studytest.Once("Change",
		func() error { return other.Import(t.Context(), "other", "batch", studytest.Yielding(answers...)) })
	if _, err := service.SetArms(t.Context(), "other", owner.Any, s.Saved); !errors.Is(err, study.ErrStarted) {
		t.Errorf("the arms were replaced: %v", err)
	}
}

// TestImportOfNewArms: an import about arms that were just added is not counted before them.
func TestImportOfNewArms(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	store := &studytest.Faulty{Store: s.Store, Before: studytest.Once("nothing", nil)}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	planner := service.Planner(id)
	s.Work(service, planner, 1, 3)
	s.Must(service.Import(t.Context(), id, "many", s.Foreign(100))) // more than are read with the lease
	s.Pass(11 * time.Second)
	other := s.Service("owner")
	store.Before = studytest.Once("Log", func() error { // after the planner has read the arms
		if _, err := other.AddArms(t.Context(), id, owner.Any, s.WithArm("new", 0.5, 0.5)); err != nil {
			return err
		}
		return other.Import(t.Context(), id, "new",
			studytest.Yielding(owner.ImportedAnswer{Shown: []string{"new", "a0"}, Picks: []string{"new"}}))
	})
	s.Step(planner)
	s.Step(planner)
	if verdict := s.Agreed(); verdict.Answered != 104 {
		t.Errorf("%+v", verdict)
	}
}

// A discarding store reads imported answers and keeps nothing.
type discarding struct {
	study.Store

	rows int
}

func (d *discarding) Import(_ context.Context, _, _ string, outcomes iter.Seq2[study.Outcome, error]) error {
	for _, err := range outcomes {
		if err != nil {
			return err
		}
		d.rows++
	}
	return nil
}

// TestImportMemory: memory does not grow with the number of imported answers.
func TestImportMemory(t *testing.T) {
	const rows, most = 200_000, 8 << 20
	s := studytest.Begin(t, studytest.Three())
	store := &discarding{Store: s.Store}
	service := s.ServiceOn(store, wiring.Options{Name: "one", Clock: s.Clock})
	some := s.ForeignList(100)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, peak := heap(), uint64(0)
	s.Must(service.Import(t.Context(), id, "survey", func(yield func(owner.ImportedAnswer, error) bool) {
		for i := range rows {
			if i%(rows/8) == 0 {
				peak = max(peak, heap())
			}
			if !yield(some[i%len(some)], nil) {
				return
			}
		}
	}))
	if store.rows != rows || peak > before+most {
		t.Errorf("an import of %d rows took %d MB of memory", store.rows, (peak-before)>>20)
	}
}

// TestImportFails: an error of the iterator is returned unchanged, at any time, and leaves the
// draft as before.
func TestImportFails(t *testing.T) {
	s := studytest.Empty(t)
	s.Create(id, studytest.Three(), study.Draft)
	service := s.Service("one")
	broken, times := errors.New("the file is broken"), 0
	answers := s.ForeignList(2)
	failing := func(at int) iter.Seq2[owner.ImportedAnswer, error] {
		return func(yield func(owner.ImportedAnswer, error) bool) {
			if times++; yield(answers[0], nil) && times == at {
				yield(owner.ImportedAnswer{}, broken)
			}
		}
	}
	for at := range 2 {
		times = 0
		if err := service.Import(t.Context(), id, "survey", failing(at+1)); !errors.Is(err, broken) {
			t.Errorf("an error in iteration %d: %v", at+1, err)
		}
		if st := s.Study(); st.Imported != (at > 0) || len(s.Outcomes()) > 0 {
			t.Errorf("%+v, %d outcomes", st, len(s.Outcomes()))
		}
	}
}

// TestImportRefuses: answers that cannot be counted are refused, and a batch with one of them is
// not imported.
func TestImportRefuses(t *testing.T) {
	s := studytest.Begin(t, studytest.Three())
	service := s.Service("one")
	far := time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -3600))
	for want, bad := range map[string]owner.ImportedAnswer{
		`answers[1]: there is no arm "b"`:                        {Shown: []string{"a0", "b"}, Picks: []string{"a0"}},
		`answers[1]: arm "a0" is shown twice`:                    {Shown: []string{"a0", "a0"}, Picks: []string{"a0"}},
		`answers[1]: arm "a2" is picked but was not shown`:       {Shown: []string{"a0", "a1"}, Picks: []string{"a2"}},
		`answers[1]: 1 arms are shown, but must be 2 to 1000`:    {Shown: []string{"a0"}, Picks: []string{"a0"}},
		`answers[1]: 1001 arms are shown, but must be 2 to 1000`: {Shown: make([]string, 1001), Picks: []string{"a0"}},
		`answers[1]: picks: 1 picks are expected, got 0`:         {Shown: []string{"a0", "a1"}},
		`answers[1]: picks: 1 picks are expected, got 2`:         {Shown: []string{"a0", "a1"}, Picks: []string{"a0", "a1"}},
		`answers[1]: picks: slot 0 is picked twice`: {
			Shown: []string{"a0", "a1", "a2"},
			Picks: []string{"a0", "a0"},
		},
		`answers[1]: "\xff" is not UTF-8 text without zero bytes`: {
			Shown: []string{"a0", "a1"}, Picks: []string{"a0"},
			Respondent: "\xff",
		},
		`answers[1]: "xxxxxxxxxxxxxxxxxxxx"… is longer than 1000 bytes`: {
			Shown: []string{"a0", "a1"}, Picks: []string{"a0"},
			Respondent: strings.Repeat("x", 1001),
		},
		`answers[1]: the year must be 1 to 9999, got 10000`: {Shown: []string{"a0", "a1"}, Picks: []string{"a0"}, At: far},
	} {
		err := service.Import(t.Context(), id, "batch", studytest.Yielding(s.ForeignList(1)[0], bad, s.ForeignList(1)[0]))
		if _, is := errors.AsType[*study.Error](err); !is || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if log := s.Outcomes(); len(log) > 0 {
		t.Errorf("the log is %+v", log)
	}
	s.Must(service.Import(t.Context(), id, "batch", studytest.Yielding(owner.ImportedAnswer{
		Shown: []string{"a0", "a1", "a2", "a3"}, Picks: []string{"a3", "a0", "a1"},
	})))
	s.Step(service.Planner(id))
	if verdict := s.Agreed(); verdict.Answered != 1 {
		t.Errorf("%+v", verdict)
	}

	for name, model := range map[string]racing.Model{"slots": {Slots: true}, "clicks": {Clicks: true}} {
		settings := studytest.Three()
		settings.Strategy.Model = model
		s.Create(name, settings, study.Open)
		err := service.Import(t.Context(), name, "batch", s.Foreign(1))
		if field, is := errors.AsType[*study.Error](err); !is || field.Field != "answers" {
			t.Errorf("%s: %v", name, err)
		}
	}
	settings := studytest.Three()
	settings.Strategy.Model.Segments = []racing.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 1}}
	s.Create("segments", settings, study.Open)
	err := service.Import(t.Context(), "segments", "batch", s.Foreign(1))
	if err == nil || err.Error() != `answers[0]: there is no segment ""` {
		t.Errorf("no segment: %v", err)
	}
	if err := service.Import(t.Context(), "nothing", "batch", studytest.Yielding()); !errors.Is(err, study.ErrNotFound) {
		t.Errorf("no study: %v", err)
	}
}
