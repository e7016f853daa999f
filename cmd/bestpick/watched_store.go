package main

import (
	"context"
	"iter"
	"time"

	"bestpick/metrics"
	"bestpick/study"
)

// A watchedStore measures every operation of a store, and logs when the store is unavailable.
type watchedStore struct {
	study.Store

	metrics *metrics.Metrics
	outage  *outage
}

func (s watchedStore) Secret(ctx context.Context) (_ []byte, err error) {
	defer s.done("secret", time.Now(), &err)
	return s.Store.Secret(ctx)
}

func (s watchedStore) Create(ctx context.Context, st study.Study, catalogue []byte) (err error) {
	defer s.done("create", time.Now(), &err)
	return s.Store.Create(ctx, st, catalogue)
}

func (s watchedStore) Study(ctx context.Context, id string) (_ study.Study, err error) {
	defer s.done("study", time.Now(), &err)
	return s.Store.Study(ctx, id)
}

func (s watchedStore) List(ctx context.Context, before string, limit int) (_ []study.Study, err error) {
	defer s.done("list", time.Now(), &err)
	return s.Store.List(ctx, before, limit)
}

func (s watchedStore) Active(ctx context.Context) (_ []string, err error) {
	defer s.done("active", time.Now(), &err)
	return s.Store.Active(ctx)
}

func (s watchedStore) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (_ study.Study, err error) {
	defer s.done("change", time.Now(), &err)
	return s.Store.Change(ctx, st, version, catalogue)
}

func (s watchedStore) Delete(ctx context.Context, id string) (err error) {
	defer s.done("delete", time.Now(), &err)
	return s.Store.Delete(ctx, id)
}

func (s watchedStore) Catalogue(ctx context.Context, id string) (_ []byte, err error) {
	defer s.done("catalogue", time.Now(), &err)
	return s.Store.Catalogue(ctx, id)
}

func (s watchedStore) ChangePanel(ctx context.Context, st study.Study, version int, change study.PanelChange) (_ study.Study, err error) {
	defer s.done("change_panel", time.Now(), &err)
	return s.Store.ChangePanel(ctx, st, version, change)
}

func (s watchedStore) Member(ctx context.Context, id, hash string) (_ study.Member, err error) {
	defer s.done("member", time.Now(), &err)
	return s.Store.Member(ctx, id, hash)
}

func (s watchedStore) MembersNamed(ctx context.Context, id string, names []string) (_ []study.Member, err error) {
	defer s.done("members_named", time.Now(), &err)
	return s.Store.MembersNamed(ctx, id, names)
}

func (s watchedStore) Members(ctx context.Context, id string, after int64, limit int) (_ []study.Member, err error) {
	defer s.done("members", time.Now(), &err)
	return s.Store.Members(ctx, id, after, limit)
}

func (s watchedStore) Record(ctx context.Context, id string, each int, outcomes ...study.Outcome) (_ []error, err error) {
	defer s.done("record", time.Now(), &err)
	return s.Store.Record(ctx, id, each, outcomes...)
}

func (s watchedStore) Import(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) (err error) {
	defer s.done("import", time.Now(), &err)
	return s.Store.Import(ctx, id, batch, outcomes)
}

func (s watchedStore) Respondent(ctx context.Context, id, respondent string) (_ study.History, err error) {
	defer s.done("respondent", time.Now(), &err)
	return s.Store.Respondent(ctx, id, respondent)
}

func (s watchedStore) At(ctx context.Context, id string, position study.Position) (_ study.Outcome, err error) {
	defer s.done("at", time.Now(), &err)
	return s.Store.At(ctx, id, position)
}

func (s watchedStore) Log(ctx context.Context, id string, after int64, limit int) (_ []study.Outcome, err error) {
	defer s.done("log", time.Now(), &err)
	return s.Store.Log(ctx, id, after, limit)
}

func (s watchedStore) Undone(ctx context.Context, id string, after int64) (_ []study.Outcome, err error) {
	defer s.done("undone", time.Now(), &err)
	return s.Store.Undone(ctx, id, after)
}

func (s watchedStore) Length(ctx context.Context, id string) (_ int64, err error) {
	defer s.done("length", time.Now(), &err)
	return s.Store.Length(ctx, id)
}

func (s watchedStore) Lead(ctx context.Context, id, planner string, now, until time.Time) (err error) {
	defer s.done("lead", time.Now(), &err)
	return s.Store.Lead(ctx, id, planner, now, until)
}

func (s watchedStore) Append(ctx context.Context, id, planner string, p study.Plan) (err error) {
	defer s.done("append", time.Now(), &err)
	return s.Store.Append(ctx, id, planner, p)
}

func (s watchedStore) Plans(ctx context.Context, id string, after, limit int) (_ []study.Plan, err error) {
	defer s.done("plans", time.Now(), &err)
	return s.Store.Plans(ctx, id, after, limit)
}

func (s watchedStore) Last(ctx context.Context, id string) (_ study.Plan, err error) {
	defer s.done("last", time.Now(), &err)
	return s.Store.Last(ctx, id)
}

func (s watchedStore) Claim(ctx context.Context, id string, n int, now time.Time) (_ study.Claim, err error) {
	defer s.done("claim", time.Now(), &err)
	return s.Store.Claim(ctx, id, n, now)
}

func (s watchedStore) Overdue(ctx context.Context, id string, before time.Time, limit int) (positions []study.Position, unclaimed int, err error) {
	defer s.done("overdue", time.Now(), &err)
	return s.Store.Overdue(ctx, id, before, limit)
}

func (s watchedStore) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) (err error) {
	defer s.done("save_snapshot", time.Now(), &err)
	return s.Store.SaveSnapshot(ctx, id, plan, state)
}

func (s watchedStore) Snapshot(ctx context.Context, id string) (plan int, state []byte, err error) {
	defer s.done("snapshot", time.Now(), &err)
	return s.Store.Snapshot(ctx, id)
}

func (s watchedStore) Batches(ctx context.Context, id string) (_ []string, err error) {
	defer s.done("batches", time.Now(), &err)
	return s.Store.Batches(ctx, id)
}

func (s watchedStore) Adopt(ctx context.Context, w study.Whole) (err error) {
	defer s.done("adopt", time.Now(), &err)
	return s.Store.Adopt(ctx, w)
}

func (s watchedStore) DeleteUnchanged(ctx context.Context, id string, version int, last int64) (err error) {
	defer s.done("delete_unchanged", time.Now(), &err)
	return s.Store.DeleteUnchanged(ctx, id, version, last)
}

func (s watchedStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (_ study.Plan, err error) {
	defer s.done("erase", time.Now(), &err)
	return s.Store.Erase(ctx, id, respondent, p)
}

// done records the duration and the error of an operation.
func (s watchedStore) done(operation string, begin time.Time, err *error) {
	s.metrics.Stored(operation, time.Since(begin))
	if s.Store.Unavailable(*err) {
		s.metrics.Failed(operation)
	}
}

// Unavailable is called with every unexpected error, so it is where outages are noticed.
func (s watchedStore) Unavailable(err error) bool {
	if !s.Store.Unavailable(err) {
		return false
	}
	s.outage.note(err)
	return true
}
