package storetest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/access"
	"bestpick/internal/jobs"
	"bestpick/internal/study"
)

func sameWhenEmpty() cmp.Option { return cmpopts.EquateEmpty() }

func secret(s *stage) {
	stores := []Store{s.store(), s.store(), s.store()}
	secrets := make([][]byte, len(stores))
	var openers sync.WaitGroup
	for i, store := range stores {
		openers.Go(func() {
			var err error
			if secrets[i], err = store.Secret(s.Context()); err != nil {
				s.Error(err)
			}
		})
	}
	openers.Wait()
	s.must(stores[0].Close())
	later, err := s.store().Secret(s.Context())
	s.must(err)
	if len(later) < 32 || bytes.Equal(later, make([]byte, len(later))) {
		s.Errorf("%x is no secret", later)
	}
	for i, secret := range secrets {
		if !bytes.Equal(secret, later) {
			s.Errorf("opener %d has another secret", i)
		}
	}
}

// calls returns all calls with the id of a study.
func calls(store Store, id string) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Study":  func(ctx context.Context) error { _, err := store.Study(ctx, id); return err },
		"List":   func(ctx context.Context) error { _, err := store.List(ctx, id, 1); return err },
		"Change": func(ctx context.Context) error { _, err := store.Change(ctx, sample(id), 1, nil); return err },
		"Delete": func(ctx context.Context) error { return store.Delete(ctx, id) },
		"Catalogue": func(ctx context.Context) error {
			_, err := store.Catalogue(ctx, id)
			return err
		},
		"ChangePanel": func(ctx context.Context) error {
			_, err := store.ChangePanel(ctx, sample(id), 1, putting(member(0, anna)))
			return err
		},
		"Member": func(ctx context.Context) error { _, err := store.Member(ctx, id, "hash"); return err },
		"MembersNamed": func(ctx context.Context) error {
			_, err := store.MembersNamed(ctx, id, []string{anna})
			return err
		},
		"Members": func(ctx context.Context) error { _, err := store.Members(ctx, id, 0, 1); return err },
		"Record":  func(ctx context.Context) error { _, err := store.Record(ctx, id, study.NoLimit, answer(9)); return err },
		"Record nothing": func(ctx context.Context) error {
			_, err := store.Record(ctx, id, study.NoLimit)
			return err
		},
		"Import": func(ctx context.Context) error { return store.Import(ctx, id, "survey", batchOf(1)) },
		"Import nothing": func(ctx context.Context) error {
			return store.Import(ctx, id, "nothing", Batch())
		},
		"Respondent": func(ctx context.Context) error { _, err := store.Respondent(ctx, id, anna); return err },
		"At":         func(ctx context.Context) error { _, err := store.At(ctx, id, 0); return err },
		"Log":        func(ctx context.Context) error { _, err := store.Log(ctx, id, 0, 1); return err },
		"Length":     func(ctx context.Context) error { _, err := store.Length(ctx, id); return err },
		"Undone":     func(ctx context.Context) error { _, err := store.Undone(ctx, id, 0); return err },
		"Lead":       func(ctx context.Context) error { return store.Lead(ctx, id, "other", start, start.Add(time.Minute)) },
		"Append": func(ctx context.Context) error {
			return store.Append(ctx, id, planner, study.Plan{Number: 2, First: 1, At: start})
		},
		"Plans": func(ctx context.Context) error { _, err := store.Plans(ctx, id, 0, 1); return err },
		"Last":  func(ctx context.Context) error { _, err := store.Last(ctx, id); return err },
		"Claim": func(ctx context.Context) error { _, err := store.Claim(ctx, id, 1, start); return err },
		"Overdue": func(ctx context.Context) error {
			_, _, err := store.Overdue(ctx, id, start, 1)
			return err
		},
		"SaveSnapshot": func(ctx context.Context) error { return store.SaveSnapshot(ctx, id, 1, []byte("other")) },
		"Batches":      func(ctx context.Context) error { _, err := store.Batches(ctx, id); return err },
		"DeleteUnchanged": func(ctx context.Context) error {
			return store.DeleteUnchanged(ctx, id, 1, 0)
		},
		"Erase": func(ctx context.Context) error {
			_, err := store.Erase(ctx, id, anna, study.Plan{Version: 1, At: start})
			return err
		},
		"Snapshot": func(ctx context.Context) error { _, _, err := store.Snapshot(ctx, id); return err },
		"SetWebhook": func(ctx context.Context) error {
			return store.SetWebhook(ctx, newHook(id))
		},
		"Webhook":       func(ctx context.Context) error { _, err := store.Webhook(ctx, id); return err },
		"RemoveWebhook": func(ctx context.Context) error { return store.RemoveWebhook(ctx, id) },
		"SaveAttempt":   func(ctx context.Context) error { return store.SaveAttempt(ctx, newHook(id)) },
	}
}

// otherCalls returns all calls without the id of a study, or with a new one.
func otherCalls(store Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Create":    func(ctx context.Context) error { return store.Create(ctx, sample("b"), nil) },
		"Adopt":     func(ctx context.Context) error { return store.Adopt(ctx, study.Archive{Study: sample("b")}) },
		"Active":    func(ctx context.Context) error { _, err := store.Active(ctx, allShards()); return err },
		"Uncounted": func(ctx context.Context) error { _, err := store.Uncounted(ctx, allShards()); return err },
		"Beat": func(ctx context.Context) error {
			_, err := store.Beat(ctx, study.Replica{Name: "b", Until: start})
			return err
		},
		"Depart":        func(ctx context.Context) error { return store.Depart(ctx, study.Replica{Name: "b", Until: start}) },
		"Secret":        func(ctx context.Context) error { _, err := store.Secret(ctx); return err },
		"AddFirstToken": func(ctx context.Context) error { return store.AddFirstToken(ctx, token("first")) },
		"AddToken":      func(ctx context.Context) error { return store.AddToken(ctx, token("b")) },
		"Token":         func(ctx context.Context) error { _, err := store.Token(ctx, access.Hash("a")); return err },
		"Tokens":        func(ctx context.Context) error { _, err := store.Tokens(ctx); return err },
		"RemoveToken":   func(ctx context.Context) error { return store.RemoveToken(ctx, "a") },
		"AddEntry":      func(ctx context.Context) error { return store.AddEntry(ctx, entry(1)) },
		"DueWebhooks":   func(ctx context.Context) error { _, err := store.DueWebhooks(ctx, start, 9); return err },
		"AddJob":        func(ctx context.Context) error { return store.AddJob(ctx, jobs.Delivery{Study: "refused"}, 0) },
		"RemoveJob":     func(ctx context.Context) error { return store.RemoveJob(ctx, jobs.Delivery{Study: "refused"}) },
		"Entries":       func(ctx context.Context) error { _, err := store.Entries(ctx, 9, 9); return err },
	}
}

// unknown tests ids with any content, since they come from respondents.
func unknown(s *stage) {
	store := s.withStudy()
	for _, id := range []string{"b", "A", "a ", "a\x00", "\x00", "\xff", "'", "%"} {
		for name, call := range calls(store, id) {
			if err := call(s.Context()); !errors.Is(err, study.ErrNotFound) {
				s.Errorf("%s of %q: got %v", name, id, err)
			}
		}
	}
	if ids := s.ids(store, "", 9); len(ids) != 1 {
		s.Errorf("there are %q", ids)
	}
}

// cancelled tests that calls with a cancelled context change nothing, and are no outage.
func cancelled(s *stage) {
	store := s.withStudy()
	s.planned(store, "a", 1)
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	ended := func(err error) bool { return errors.Is(err, context.Canceled) && !errors.Is(err, study.ErrUnavailable) }
	s.refuses(ctx, store, ended)
	s.must(store.AddToken(s.Context(), token("a")))
	s.refuses(ctx, store, ended)
	s.untouched(store, token("a"))
}

// refuses makes all calls, all of which must fail.
func (s *stage) refuses(ctx context.Context, store Store, right func(error) bool) {
	s.Helper()
	for _, all := range []map[string]func(context.Context) error{calls(store, "a"), otherCalls(store)} {
		for name, call := range all {
			if err := call(ctx); !right(err) {
				s.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// untouched tests that the calls have changed nothing.
func (s *stage) untouched(store Store, tokens ...access.Token) {
	s.Helper()
	ctx := s.Context()
	s.holds(store, tokens...)
	s.entered(store, math.MaxInt64, 9)
	st, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(sample("a"), st); diff != "" {
		s.Error(diff)
	}
	s.consists(store, "a")
	if outcomes := s.log(store, "a"); len(outcomes) > 0 {
		s.Errorf("there are outcomes %v", outcomes)
	}
	plan, err := store.Last(ctx, "a")
	s.must(err)
	_, unclaimed, err := store.Overdue(ctx, "a", start, 9)
	s.must(err)
	if plan.Number != 1 || unclaimed != 1 {
		s.Errorf("the last plan is %d, %d questions are unclaimed", plan.Number, unclaimed)
	}
	_, _, err = store.Snapshot(ctx, "a")
	s.wants(study.ErrNotFound, err)
	s.wants(study.ErrNotYours, store.Lead(ctx, "a", "third", start, start.Add(time.Minute)))
	s.must(store.Lead(ctx, "a", planner, start, start.Add(time.Hour)))
	if ids := s.ids(store, "", 9); len(ids) != 1 {
		s.Errorf("there are %q", ids)
	}
	for _, batch := range []string{"survey", "nothing"} {
		s.must(store.Import(ctx, "a", batch, Batch()))
	}
}

func closed(s *stage) {
	store := s.withStudy()
	s.planned(store, "a", 1)
	s.must(store.Close())
	s.must(store.Close())
	s.refuses(s.Context(), store, func(err error) bool {
		return err != nil && !errors.Is(err, study.ErrNotFound) && !errors.Is(err, access.ErrUnknown) && !errors.Is(err,
			access.ErrTaken)
	})
	s.untouched(s.store())
}

// reopened tests that all data is there after reopening, and that studies continue.
func reopened(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	again := func() {
		s.Helper()
		s.must(store.Close())
		store = s.store()
	}
	again()
	s.planned(store, "a", 4)
	again()
	_, err := store.Claim(ctx, "a", 2, start)
	s.must(err)
	again()
	s.recorded(store, "a", []error{nil}, answer(0))
	again()
	s.recorded(store, "a", []error{study.ErrTaken, nil}, answer(0), answer(1))
	s.must(store.SaveSnapshot(ctx, "a", 1, []byte("state")))
	again()
	s.must(store.Import(ctx, "a", "survey", batchOf(1)))
	s.must(store.AddFirstToken(ctx, token("a")))
	_, err = store.Change(ctx, sample("a"), 1, []byte("other arms"))
	s.must(err)
	again()

	s.numbered(s.log(store, "a"))
	s.wants(study.ErrTaken, store.Import(ctx, "a", "survey", batchOf(1)))
	s.did(store, answer(0).Respondent, 1, question(0))
	s.holds(store, token("a"))
	s.underWay(store, "a")
	s.wants(study.ErrNotYours, store.Lead(ctx, "a", "other", start, start.Add(time.Minute)))
	s.must(store.Append(ctx, "a", planner, s.next(store, "a", 1)))
	c, err := store.Claim(ctx, "a", 9, start)
	s.must(err)
	want := study.Claim{First: 2, Questions: [][]int{question(2), question(3), question(4)}, Plans: []int{1, 1, 2}, At: start}
	if diff := cmp.Diff(want, c); diff != "" {
		s.Error(diff)
	}
	_, state, err := store.Snapshot(ctx, "a")
	s.must(err)
	arms, err := store.Catalogue(ctx, "a")
	s.must(err)
	st, err := store.Study(ctx, "a")
	s.must(err)
	if string(state) != "state" || string(arms) != "other arms" || st.Version != 2 {
		s.Errorf("%q, %q, version %d", state, arms, st.Version)
	}
}

// openedAtOnce tests many processes that open a new place concurrently.
func openedAtOnce(s *stage) {
	stores := make([]Store, 6)
	var openers sync.WaitGroup
	for i := range stores {
		openers.Go(func() {
			var err error
			if stores[i], err = s.open(); err != nil {
				s.Error(err)
			}
		})
	}
	openers.Wait()
	if s.Failed() {
		return
	}
	s.must(stores[0].Create(s.Context(), sample("a"), nil))
	for i, store := range stores {
		s.recorded(store, "a", []error{nil}, answer(study.Position(i)))
		s.must(store.Close())
	}
}

// apart tests that two studies of a store are independent.
func apart(s *stage) {
	store := s.withStudy()
	s.must(store.Create(s.Context(), sample("b"), []byte("others")))
	s.recorded(store, "a", []error{nil, nil}, answer(0), answer(1))
	s.recorded(store, "b", []error{nil}, answer(1))
	s.planned(store, "a", 2)
	if n := len(s.log(store, "b")); n != 1 {
		s.Errorf("the other study has %d outcomes", n)
	}
	s.recorded(store, "b", []error{nil}, became(1, study.Undone))
	_, err := store.At(s.Context(), "b", 0)
	s.wants(study.ErrNotFound, err)
	_, err = store.Last(s.Context(), "b")
	s.wants(study.ErrNotFound, err)
	c, err := store.Claim(s.Context(), "b", 2, start)
	s.must(err)
	if len(c.Questions) > 0 {
		s.Errorf("the other study has questions %v", c.Questions)
	}
}

// Unavailable tests a store whose database cannot be reached: every operation fails with an error that wraps
// study.ErrUnavailable.
func Unavailable(t *testing.T, store Store) {
	t.Helper()
	s := &stage{T: t}
	s.refuses(t.Context(), store, func(err error) bool { return errors.Is(err, study.ErrUnavailable) })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.refuses(ended, store, func(err error) bool {
		return errors.Is(err, context.Canceled) && study.Coded(err).Code == study.CodeTimeout
	})
}
