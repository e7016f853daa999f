package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/owner"
)

// A catcher is a target of a copy, which keeps the study in memory.
type catcher struct {
	Store

	caught study.Archive
}

func (c *catcher) Adopt(_ context.Context, w study.Archive) error {
	c.caught = w
	return nil
}

// copied returns all data of the study a, after pausing it.
func (s *stage) copied(store Store) study.Archive {
	s.Helper()
	st, err := store.Study(s.Context(), "a")
	s.must(err)
	st.State = study.Paused
	_, err = store.Change(s.Context(), st, st.Version, nil)
	s.must(err)
	c := &catcher{Store: store}
	_, err = owner.Copy(s.Context(), store, c, "a")
	s.must(err)
	return c.caught
}

// leaveTraces writes every kind of data to a study.
func (s *stage) leaveTraces(store Store, id string) {
	s.Helper()
	ctx := s.Context()
	s.changePanel(store, id, putting(member(0, anna), member(0, ben), member(0, cleo)))
	s.changePanel(store, id, study.PanelChange{Remove: []string{ben}})
	s.planned(store, id, 5)
	_, err := store.Claim(ctx, id, 4, start)
	s.must(err)
	s.recorded(store, id, []error{nil, nil, nil, nil}, answer(0), answer(1), became(1, study.Undone), answer(1))
	s.must(store.Import(ctx, id, "survey", batchOf(2)))
	s.must(store.Import(ctx, id, "nothing", Batch()))
	s.planned(store, id, 2)
	s.recorded(store, id, []error{nil, nil, nil}, became(2, study.Skipped), answer(4), became(4, study.Undone))
}

// adopt tests that a study from another store behaves like one that was created here.
func adopt(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.leaveTraces(store, "a")
	whole := s.moved(store)
	s.must(store.Create(ctx, sample("b"), nil))
	if len(whole.Outcomes) != 9 || len(whole.Plans) != 2 || whole.Claimed != 4 || strings.Join(whole.Batches,
		", ") != "nothing, survey" {
		s.Errorf("it has %+v", whole)
	}
	s.consists(store, "a", member(1, anna), member(3, cleo))
	pulses, err := store.Active(ctx, []int{1, 2, 3, 4, 5, 6, 7, 8, 9})
	s.must(err)
	if len(pulses) != 2 {
		s.Errorf("the active studies are %+v", pulses)
	}
	s.did(store, answer(0).Respondent, 1, question(0))
	s.did(store, answer(4).Respondent, 0, question(4))
	s.wants(study.ErrTaken, store.Import(ctx, "a", "survey", batchOf(1)))
	s.wants(study.ErrTaken, store.Import(ctx, "a", "nothing", Batch()))
	positions, unclaimed, err := store.Overdue(ctx, "a", start.AddDate(-10, 0, 0), 9)
	s.must(err)
	if !slices.Equal(positions, []study.Position{3}) || unclaimed != 3 {
		s.Errorf("%v are overdue, %d unclaimed", positions, unclaimed)
	}
	taken := study.ErrTaken
	s.recorded(store, "a", []error{taken, taken, taken, nil, taken}, answer(0), became(1, study.Undone), answer(2),
		answer(4), answer(1))
	s.planned(store, "a", 1)
	claim, err := store.Claim(ctx, "a", 9, start)
	s.must(err)
	if claim.First != 4 || len(claim.Questions) != 4 || !slices.Equal(claim.Plans, []int{1, 2, 2, 3}) {
		s.Errorf("it deals %+v", claim)
	}
	s.numbered(s.log(store, "a"))
}

// adoptNothingBad tests that invalid data is rejected without a trace.
func adoptNothingBad(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.leaveTraces(store, "a")
	for name, spoil := range map[string]func(*study.Archive){
		"a gap in the log":          func(w *study.Archive) { w.Outcomes[3].Number++ },
		"two outcomes":              func(w *study.Archive) { w.Outcomes[3].Position = 0 },
		"undone, not answered":      func(w *study.Archive) { w.Outcomes[2].Position = 3 },
		"a text that is none":       func(w *study.Archive) { w.Outcomes[0].Respondent = "\xff" },
		"a kind that is none":       func(w *study.Archive) { w.Outcomes[0].Kind = "" },
		"a gap between plans":       func(w *study.Archive) { w.Plans[1].Number++ },
		"a gap between questions":   func(w *study.Archive) { w.Plans[1].First++ },
		"a plan that knows more":    func(w *study.Archive) { w.Plans[1].LastSeen = 100 },
		"a plan that tells less":    func(w *study.Archive) { w.Plans[0].LastCounted, w.Plans[0].LastSeen = 7, 7 },
		"more claimed than planned": func(w *study.Archive) { w.Claimed = 8 },
		"less than nothing claimed": func(w *study.Archive) { w.Claimed = -1 },
		"a batch without a name":    func(w *study.Archive) { w.Batches[0] = "\x00" },
		"a member without a name":   func(w *study.Archive) { w.Members[0].Name = "" },
		"a member twice":            func(w *study.Archive) { w.Members[0].Name = w.Members[1].Name },
		"a key twice":               func(w *study.Archive) { w.Members[0].Key = w.Members[1].Key },
		"members out of order":      func(w *study.Archive) { w.Members[0].Number = 3 },
		"a batch twice":             func(w *study.Archive) { w.Batches[0] = w.Batches[1] },
	} {
		whole := s.copied(store)
		whole.Study.ID = "b"
		spoil(&whole)
		if err := store.Adopt(ctx, whole); err == nil || errors.Is(err, study.ErrChanged) {
			s.Errorf("%s: got %v", name, err)
		}
		_, err := store.Study(ctx, "b")
		s.wants(study.ErrNotFound, err)
	}
}

// deleteDuringRecords tests that no acknowledged answer is lost with a study whose deleter has not
// seen it.
func deleteDuringRecords(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	var acknowledged atomic.Int64
	var recording sync.WaitGroup
	for g := range 4 {
		recording.Go(func() {
			for i := 0; ; i++ {
				refused, err := stores[g%2].Record(s.Context(), "a", study.NoLimit, answer(study.Position(g+4*i)))
				if err != nil {
					s.wants(study.ErrNotFound, err)
					return
				}
				if refused[0] != nil {
					s.Error(refused[0])
					return
				}
				acknowledged.Add(1)
				time.Sleep(time.Millisecond)
			}
		})
	}
	last := int64(0)
	for deleted := false; !deleted; {
		log, err := stores[1].Log(s.Context(), "a", last, 1000)
		s.must(err)
		last += int64(len(log))
		err = stores[1].DeleteUnchanged(s.Context(), "a", 1, last)
		if deleted = err == nil; !deleted {
			s.wants(study.ErrChanged, err)
		}
	}
	recording.Wait()
	if acknowledged.Load() != last {
		s.Errorf("%d answers were acknowledged, %d were there when the study went", acknowledged.Load(), last)
	}
}
