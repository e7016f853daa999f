package studytest

import (
	"context"
	"time"

	"bestpick/internal/study"
)

// A Faulty store calls a function before some of its methods, which may fail.
type Faulty struct {
	study.Store

	Before func(call string) error
}

// Study is [study.Store.Study] after Before.
func (f *Faulty) Study(ctx context.Context, id string) (study.Study, error) {
	if err := f.Before("Study"); err != nil {
		return study.Study{}, err
	}
	return f.Store.Study(ctx, id)
}

// Change is [study.Store.Change] after Before.
func (f *Faulty) Change(ctx context.Context, s study.Study, version int, catalogue []byte) (study.Study, error) {
	if err := f.Before("Change"); err != nil {
		return study.Study{}, err
	}
	return f.Store.Change(ctx, s, version, catalogue)
}

// Catalogue is [study.Store.Catalogue] after Before.
func (f *Faulty) Catalogue(ctx context.Context, id string) ([]byte, error) {
	if err := f.Before("Catalogue"); err != nil {
		return nil, err
	}
	return f.Store.Catalogue(ctx, id)
}

// Active is [study.Store.Active] after Before.
func (f *Faulty) Active(ctx context.Context, shards []int) ([]study.Pulse, error) {
	if err := f.Before("Active"); err != nil {
		return nil, err
	}
	return f.Store.Active(ctx, shards)
}

// Beat is [study.Store.Beat] after Before.
func (f *Faulty) Beat(ctx context.Context, r study.Replica) ([]study.Replica, error) {
	if err := f.Before("Beat"); err != nil {
		return nil, err
	}
	return f.Store.Beat(ctx, r)
}

// Log is [study.Store.Log] after Before.
func (f *Faulty) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	if err := f.Before("Log"); err != nil {
		return nil, err
	}
	return f.Store.Log(ctx, id, after, limit)
}

// Append is [study.Store.Append] after Before.
func (f *Faulty) Append(ctx context.Context, id, planner string, p study.Plan) error {
	if err := f.Before("Append"); err != nil {
		return err
	}
	return f.Store.Append(ctx, id, planner, p)
}

// AcquireLease is [study.Store.AcquireLease] after Before.
func (f *Faulty) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) error {
	if err := f.Before("AcquireLease"); err != nil {
		return err
	}
	return f.Store.AcquireLease(ctx, id, planner, now, until)
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
	if err := f.Before("Erase"); err != nil {
		return study.Plan{}, err
	}
	return f.Store.Erase(ctx, id, respondent, p)
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

// A Later store calls a function after its catalogue was read.
type Later struct {
	study.Store

	Then func()
}

// Catalogue is [study.Store.Catalogue] before Then.
func (l *Later) Catalogue(ctx context.Context, id string) ([]byte, error) {
	saved, err := l.Store.Catalogue(ctx, id)
	l.Then()
	return saved, err
}
