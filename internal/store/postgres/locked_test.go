package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/study"
)

// lockStudies locks studies from a connection outside the store, like a long transaction of another
// process, until release is called.
func lockStudies(t *testing.T, url string, ids ...string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `SELECT 1 FROM progress JOIN studies ON key = study
		WHERE id = ANY ($1) FOR UPDATE OF progress`, ids)
	if err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		if err := errors.Join(tx.Rollback(context.Background()), conn.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
}

// openWith opens a store with an open study for each id.
func openWith(t *testing.T, url string, ids ...string) *Store {
	t.Helper()
	store, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, id := range ids {
		if err := store.Create(t.Context(), study.Study{ID: id, Version: 1, State: study.Open}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

func answerTo(p study.Position) study.Outcome {
	return study.Outcome{Position: p, Kind: study.Answered, Shown: []int{0, 1}, Picks: []int{0}, At: time.Unix(0, 0)}
}

// TestLockedStudies: while more studies are locked than the pool has connections, and have waiting
// respondents and planners, answers to another study are recorded, questions claimed and plans
// written. After the locks are released, the waiting answers are recorded.
func TestLockedStudies(t *testing.T) {
	url := server.Database(t)
	var ids []string
	for i := range 6 {
		ids = append(ids, fmt.Sprint("locked ", i))
	}
	store := openWith(t, url, append(ids, "free")...)
	release := lockStudies(t, url, ids...)
	defer release()
	var waiting sync.WaitGroup
	var recorded atomic.Int32
	begun := make(chan struct{}, 100)
	const each = 5
	for _, id := range ids {
		for p := range study.Position(each) {
			waiting.Go(func() {
				begun <- struct{}{}
				results, err := store.Record(t.Context(), id, study.NoLimit, answerTo(p))
				for errors.Is(err, study.ErrBusy) { // the machine is slow
					results, err = store.Record(t.Context(), id, study.NoLimit, answerTo(p))
				}
				if err != nil || results[0] != nil {
					t.Errorf("%s: %v, %v", id, results, err)
				}
				recorded.Add(1)
			})
		}
		waiting.Go(func() {
			if _, err := store.Claim(t.Context(), id, 1, time.Unix(0, 0)); err != nil && !errors.Is(err, study.ErrBusy) {
				t.Error(err)
			}
		})
		waiting.Go(func() { leadLocked(t, store, id) })
	}
	for range each * len(ids) {
		<-begun
	}
	goesOn(t, store, "free", 200)
	if n := recorded.Load(); n > 0 {
		t.Errorf("%d answers to locked studies were recorded", n)
	}
	release()
	waiting.Wait()
	for _, id := range ids {
		if log, err := store.Log(t.Context(), id, 0, 99); err != nil || len(log) != each {
			t.Errorf("%s has %d outcomes, %v", id, len(log), err)
		}
	}
}

// leadLocked tries to lead a locked study: the error is ErrNotYours, and does not count as an
// outage of the database.
func leadLocked(t *testing.T, store *Store, id string) {
	t.Helper()
	now := time.Unix(0, 0)
	err := store.AcquireLease(t.Context(), id, "planner", now, now.Add(time.Hour))
	if !errors.Is(err, study.ErrNotYours) || errors.Is(err, study.ErrUnavailable) {
		t.Errorf("%s is locked, and to lead it is %v", id, err)
	}
}

// goesOn records answers, one after another, claims questions and writes plans.
func goesOn(t *testing.T, store *Store, id string, answers study.Position) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	now := time.Unix(0, 0)
	if err := store.AcquireLease(ctx, id, "planner", now, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for p := range answers {
		if results, err := store.Record(ctx, id, study.NoLimit, answerTo(p)); err != nil || results[0] != nil {
			t.Fatalf("answer %d: %v, %v", p, results, err)
		}
		if p%10 > 0 {
			continue
		}
		n := int(p / 10)
		plan := study.Plan{
			Number: n + 1, LastCounted: int64(p) + 1, LastSeen: int64(p) + 1, First: study.Position(n),
			Questions: [][]int{{0, 1}}, At: now,
		}
		if err := store.Append(ctx, id, "planner", plan); err != nil {
			t.Fatal(err)
		}
		if c, err := store.Claim(ctx, id, 1, now); err != nil || len(c.Questions) != 1 {
			t.Fatalf("%+v, %v", c, err)
		}
	}
}

// TestLockedForTooLong: an operation that cannot lock a study in time returns ErrBusy, which is not
// an outage of the database.
func TestLockedForTooLong(t *testing.T) {
	url := server.Database(t)
	store := openWith(t, url, "a")
	release := lockStudies(t, url, "a")
	defer release()
	now := time.Unix(0, 0)
	for name, call := range map[string]struct {
		do   func(context.Context) error
		want error
	}{
		"lead": {
			func(ctx context.Context) error {
				return store.AcquireLease(ctx, "a", "planner", now, now.Add(time.Hour))
			},
			study.ErrNotYours,
		},
		"append": {
			func(ctx context.Context) error { return store.Append(ctx, "a", "planner", study.Plan{Number: 1}) },
			study.ErrNotYours,
		},
		"claim": {func(ctx context.Context) error { _, err := store.Claim(ctx, "a", 1, now); return err }, study.ErrBusy},
		"save":  {func(ctx context.Context) error { return store.SaveSnapshot(ctx, "a", 0, nil) }, study.ErrBusy},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if err := call.do(ctx); !errors.Is(err, call.want) || errors.Is(err, study.ErrUnavailable) {
			t.Errorf("%s: %v, unavailable %t", name, err, errors.Is(err, study.ErrUnavailable))
		}
		cancel()
	}
	release()
	if err := store.AcquireLease(t.Context(), "a", "planner", now, now.Add(time.Hour)); err != nil {
		t.Error(err)
	}
}
