package study_test

import (
	"context"
	"time"

	"bestpick/internal/study"
)

// A faulty store calls a function before some of its methods, which may fail.
type faulty struct {
	study.Store

	before func(call string) error
}

func (f *faulty) Study(ctx context.Context, id string) (study.Study, error) {
	if err := f.before("Study"); err != nil {
		return study.Study{}, err
	}
	return f.Store.Study(ctx, id)
}

func (f *faulty) Change(ctx context.Context, s study.Study, version int, catalogue []byte) (study.Study, error) {
	if err := f.before("Change"); err != nil {
		return study.Study{}, err
	}
	return f.Store.Change(ctx, s, version, catalogue)
}

func (f *faulty) Catalogue(ctx context.Context, id string) ([]byte, error) {
	if err := f.before("Catalogue"); err != nil {
		return nil, err
	}
	return f.Store.Catalogue(ctx, id)
}

func (f *faulty) Active(ctx context.Context, shards []int) ([]study.Pulse, error) {
	if err := f.before("Active"); err != nil {
		return nil, err
	}
	return f.Store.Active(ctx, shards)
}

func (f *faulty) Beat(ctx context.Context, r study.Replica) ([]study.Replica, error) {
	if err := f.before("Beat"); err != nil {
		return nil, err
	}
	return f.Store.Beat(ctx, r)
}

func (f *faulty) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	if err := f.before("Log"); err != nil {
		return nil, err
	}
	return f.Store.Log(ctx, id, after, limit)
}

func (f *faulty) Append(ctx context.Context, id, planner string, p study.Plan) error {
	if err := f.before("Append"); err != nil {
		return err
	}
	return f.Store.Append(ctx, id, planner, p)
}

func (f *faulty) Lead(ctx context.Context, id, planner string, now, until time.Time) error {
	if err := f.before("Lead"); err != nil {
		return err
	}
	return f.Store.Lead(ctx, id, planner, now, until)
}

func (f *faulty) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error {
	if err := f.before("SaveSnapshot"); err != nil {
		return err
	}
	return f.Store.SaveSnapshot(ctx, id, plan, state)
}

func (f *faulty) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	if err := f.before("Erase"); err != nil {
		return study.Plan{}, err
	}
	return f.Store.Erase(ctx, id, respondent, p)
}

// once runs a function at the first of several calls.
func once(call string, do func() error) func(string) error {
	done := false
	return func(name string) error {
		if name != call || done {
			return nil
		}
		done = true
		return do()
	}
}

// A later store calls a function after its catalogue was read.
type later struct {
	study.Store

	then func()
}

func (l *later) Catalogue(ctx context.Context, id string) ([]byte, error) {
	saved, err := l.Store.Catalogue(ctx, id)
	l.then()
	return saved, err
}
