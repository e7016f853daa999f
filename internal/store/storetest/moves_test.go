package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
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

// moved moves the study a to another store and back.
func (s *stage) moved(store Store) study.Archive {
	s.Helper()
	whole := s.copied(store)
	s.wants(study.ErrChanged, store.Adopt(s.Context(), whole))
	s.must(store.Delete(s.Context(), "a"))
	s.must(store.Adopt(s.Context(), whole))
	c := &catcher{Store: store}
	_, err := owner.Copy(s.Context(), store, c, "a")
	same(s, whole)(c.caught, err)
	return whole
}

// traces are calls that write every kind of data to the study a.
const traces = `ChangePanel study(a) 1 change(Put=[member(anna) member(ben) member(cleo)])
ChangePanel study(a) 2 change(Remove=[ben])
AcquireLease a planner +0s +1h
Append a planner next(5)
Claim a 4 +0s
Record a 0 answer(0) answer(1) undone(1) answer(1)
SaveSnapshot a 1 state
Import a survey [imported(0) imported(1)]
Import a nothing []
SetWebhook hook(a)
Append a planner next(2)
Record a 0 skipped(2) answer(4) undone(4)
Append a planner next(4)
Deal a 2 nil arrival(anna)
Deal a 1 nil arrival(ben)`

// fill creates the study a and writes every kind of data to it.
func fill(t *testing.T, store Store) {
	t.Helper()
	s := &stage{T: t}
	s.must(store.Create(s.Context(), sample("a"), []byte("arms")))
	s.script(store, traces)
}

// adoptNothingBad tests that invalid data is rejected without a trace.
func adoptNothingBad(s *stage) {
	store := s.store()
	fill(s.T, store)
	s.rejected(store, map[string]func(*study.Archive){
		"a gap in the log":           func(w *study.Archive) { w.Outcomes[3].Number++ },
		"two outcomes":               func(w *study.Archive) { w.Outcomes[3].Position = 0 },
		"undone, not answered":       func(w *study.Archive) { w.Outcomes[2].Position = 3 },
		"a text that is none":        func(w *study.Archive) { w.Outcomes[0].Respondent = "\xff" },
		"a kind that is none":        func(w *study.Archive) { w.Outcomes[0].Kind = "" },
		"a gap between plans":        func(w *study.Archive) { w.Plans[1].Number++ },
		"a gap between questions":    func(w *study.Archive) { w.Plans[1].First++ },
		"a plan that knows more":     func(w *study.Archive) { w.Plans[1].LastSeen = 100 },
		"a plan that tells less":     func(w *study.Archive) { w.Plans[0].LastCounted, w.Plans[0].LastSeen = 7, 7 },
		"more claimed than planned":  func(w *study.Archive) { w.Claimed = 12 },
		"a hand of other questions":  func(w *study.Archive) { w.Outcomes[len(w.Outcomes)-1].Hand.First-- },
		"a hand that is not claimed": func(w *study.Archive) { w.Outcomes[len(w.Outcomes)-1].Hand.First = 9 },
		"a hand of nothing":          func(w *study.Archive) { w.Outcomes[len(w.Outcomes)-1].Hand.Cards = nil },
		"less than nothing claimed":  func(w *study.Archive) { w.Claimed = -1 },
		"a batch without a name":     func(w *study.Archive) { w.Batches[0] = "\x00" },
		"a member without a name":    func(w *study.Archive) { w.Members[0].Name = "" },
		"a member twice":             func(w *study.Archive) { w.Members[0].Name = w.Members[1].Name },
		"a key twice":                func(w *study.Archive) { w.Members[0].Key = w.Members[1].Key },
		"members out of order":       func(w *study.Archive) { w.Members[0].Number = 3 },
		"a batch twice":              func(w *study.Archive) { w.Batches[0] = w.Batches[1] },
	})
	_, err := store.Erase(s.Context(), "a", answer(0).Respondent, s.restart(store, 2))
	s.must(err)
	s.rejected(store, map[string]func(*study.Archive){
		"a text in what was erased": func(w *study.Archive) { w.Outcomes[0].Respondent = anna },
		"a restart in the middle": func(w *study.Archive) {
			w.Plans = append(w.Plans, w.Plans[0])
			w.Plans[1].Number++
			w.Plans[1].First += 2
		},
		"plans that are not there":   func(w *study.Archive) { w.Plans[0].Restart = nil },
		"what is lost is handed out": func(w *study.Archive) { w.Claimed = 6 },
	})
}

// rejected tests that the store does not adopt copies of the study a with other contents.
func (s *stage) rejected(store Store, spoils map[string]func(*study.Archive)) {
	s.Helper()
	for name, spoil := range spoils {
		whole := s.copied(store)
		whole.Study.ID = "b"
		spoil(&whole)
		if err := store.Adopt(s.Context(), whole); err == nil || errors.Is(err, study.ErrChanged) {
			s.Errorf("%s: got %v", name, err)
		}
		_, err := store.Study(s.Context(), "b")
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
				refused, err := stores[g%2].Record(s.Context(), "a", study.Terms{}, answer(study.Position(g+4*i)))
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
