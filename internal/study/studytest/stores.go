package studytest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/study"
)

// A Faulty store calls a function before some of its methods, which may fail.
type Faulty struct {
	study.Store

	Before func(call string) error
}

// before makes a call after Before.
func before[T any](f *Faulty, call string, do func() (T, error)) (result T, err error) {
	if err := f.Before(call); err != nil {
		return result, err
	}
	return do()
}

// Study is [study.Store.Study] after Before.
func (f *Faulty) Study(ctx context.Context, id string) (study.Study, error) {
	return before(f, "Study", func() (study.Study, error) { return f.Store.Study(ctx, id) })
}

// Change is [study.Store.Change] after Before.
func (f *Faulty) Change(ctx context.Context, s study.Study, version int, catalogue []byte) (study.Study, error) {
	return before(f, "Change", func() (study.Study, error) { return f.Store.Change(ctx, s, version, catalogue) })
}

// Catalogue is [study.Store.Catalogue] after Before.
func (f *Faulty) Catalogue(ctx context.Context, id string) ([]byte, error) {
	return before(f, "Catalogue", func() ([]byte, error) { return f.Store.Catalogue(ctx, id) })
}

// Attend is [study.Store.Attend] after Before.
func (f *Faulty) Attend(
	ctx context.Context, planner string, clock func() time.Time, lease time.Duration, limit int, ids []string,
) ([]study.Pulse, error) {
	return before(f, "Attend", func() ([]study.Pulse, error) { return f.Store.Attend(ctx, planner, clock, lease, limit, ids) })
}

// Release is [study.Store.Release] after Before.
func (f *Faulty) Release(ctx context.Context, id, planner string, seen int) error {
	if err := f.Before("Release"); err != nil {
		return err
	}
	return f.Store.Release(ctx, id, planner, seen)
}

// Log is [study.Store.Log] after Before.
func (f *Faulty) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	return before(f, "Log", func() ([]study.Outcome, error) { return f.Store.Log(ctx, id, after, limit) })
}

// Append is [study.Store.Append] after Before.
func (f *Faulty) Append(ctx context.Context, id, planner string, p study.Plan) error {
	if err := f.Before("Append"); err != nil {
		return err
	}
	return f.Store.Append(ctx, id, planner, p)
}

// AcquireLease is [study.Store.AcquireLease] after Before.
func (f *Faulty) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) (study.Work, error) {
	return before(f, "AcquireLease", func() (study.Work, error) { return f.Store.AcquireLease(ctx, id, planner, now, until) })
}

// SaveSnapshot is [study.Store.SaveSnapshot] after Before.
func (f *Faulty) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error {
	if err := f.Before("SaveSnapshot"); err != nil {
		return err
	}
	return f.Store.SaveSnapshot(ctx, id, plan, state)
}

// Erase is [study.Store.Erase] after Before.
func (f *Faulty) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	return before(f, "Erase", func() (study.Plan, error) { return f.Store.Erase(ctx, id, respondent, p) })
}

// Once runs a function at the first of several calls.
func Once(call string, do func() error) func(string) error {
	done := false
	return func(name string) error {
		if name != call || done {
			return nil
		}
		done = true
		return do()
	}
}

// Await returns how long it takes until a condition holds.
func Await(t *testing.T, what string, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > time.Minute {
			t.Fatalf("it never happens that %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began)
}

// InBubble runs a test in a synctest bubble, whose time advances when all goroutines wait.
func InBubble(t *testing.T, settings study.Settings, test func(s *Stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(Begin(t, settings)) })
}
