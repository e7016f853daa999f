package serve

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"bestpick/internal/observe"
	"bestpick/internal/study"
)

// An instrumentedStore measures every operation of a store, traces the operations that respondents and planners wait for, and
// logs when the store is unavailable.
type instrumentedStore struct {
	study.Store

	metrics *observe.Metrics
	outage  *outage
	tracer  *observe.Tracer // may be nil
}

func (s instrumentedStore) Secret(ctx context.Context) (_ []byte, err error) {
	defer s.done("secret", time.Now(), &err)
	return s.Store.Secret(ctx)
}

func (s instrumentedStore) Create(ctx context.Context, st study.Study, catalogue []byte) (err error) {
	defer s.done("create", time.Now(), &err)
	return s.Store.Create(ctx, st, catalogue)
}

func (s instrumentedStore) Study(ctx context.Context, id string) (_ study.Study, err error) {
	defer s.done("study", time.Now(), &err)
	return s.Store.Study(ctx, id)
}

func (s instrumentedStore) List(ctx context.Context, before string, limit int) (_ []study.Study, err error) {
	defer s.done("list", time.Now(), &err)
	return s.Store.List(ctx, before, limit)
}

func (s instrumentedStore) Active(ctx context.Context, shards []int) (_ []study.Pulse, err error) {
	defer s.done("active", time.Now(), &err)
	return s.Store.Active(ctx, shards)
}

func (s instrumentedStore) Uncounted(ctx context.Context, shards []int) (_ []study.Pulse, err error) {
	defer s.done("uncounted", time.Now(), &err)
	return s.Store.Uncounted(ctx, shards)
}

func (s instrumentedStore) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (_ study.Study, err error) {
	defer s.done("change", time.Now(), &err)
	return s.Store.Change(ctx, st, version, catalogue)
}

func (s instrumentedStore) Delete(ctx context.Context, id string) (err error) {
	defer s.done("delete", time.Now(), &err)
	return s.Store.Delete(ctx, id)
}

func (s instrumentedStore) Catalogue(ctx context.Context, id string) (_ []byte, err error) {
	defer s.done("catalogue", time.Now(), &err)
	return s.Store.Catalogue(ctx, id)
}

func (s instrumentedStore) AddPictures(ctx context.Context, id string, pictures []study.Picture) (err error) {
	defer s.done("add_pictures", time.Now(), &err)
	return s.Store.AddPictures(ctx, id, pictures)
}

func (s instrumentedStore) Picture(ctx context.Context, id, hash string) (_ study.Picture, err error) {
	defer s.done("picture", time.Now(), &err)
	return s.Store.Picture(ctx, id, hash)
}

func (s instrumentedStore) PictureHashes(ctx context.Context, id string) (_ []string, err error) {
	defer s.done("picture_hashes", time.Now(), &err)
	return s.Store.PictureHashes(ctx, id)
}

func (s instrumentedStore) Admit(ctx context.Context, id, respondent string, answers map[string]string) (err error) {
	defer s.done("admit", time.Now(), &err)
	return s.Store.Admit(ctx, id, respondent, answers)
}

func (s instrumentedStore) Profile(ctx context.Context, id, respondent string) (_ study.Profile, err error) {
	defer s.done("profile", time.Now(), &err)
	return s.Store.Profile(ctx, id, respondent)
}

func (s instrumentedStore) Profiles(ctx context.Context, id, after string, limit int) (_ []study.Profile, err error) {
	defer s.done("profiles", time.Now(), &err)
	return s.Store.Profiles(ctx, id, after, limit)
}

func (s instrumentedStore) RemoveProfile(ctx context.Context, id, respondent string) (err error) {
	defer s.done("remove_profile", time.Now(), &err)
	return s.Store.RemoveProfile(ctx, id, respondent)
}

func (s instrumentedStore) ChangePanel(ctx context.Context, st study.Study, version int, change study.PanelChange) (_ study.Study, err error) {
	defer s.done("change_panel", time.Now(), &err)
	return s.Store.ChangePanel(ctx, st, version, change)
}

func (s instrumentedStore) Member(ctx context.Context, id, hash string) (_ study.Member, err error) {
	defer s.done("member", time.Now(), &err)
	return s.Store.Member(ctx, id, hash)
}

func (s instrumentedStore) MembersNamed(ctx context.Context, id string, names []string) (_ []study.Member, err error) {
	defer s.done("members_named", time.Now(), &err)
	return s.Store.MembersNamed(ctx, id, names)
}

func (s instrumentedStore) Members(ctx context.Context, id string, after int64, limit int) (_ []study.Member, err error) {
	defer s.done("members", time.Now(), &err)
	return s.Store.Members(ctx, id, after, limit)
}

func (s instrumentedStore) Record(ctx context.Context, id string, each int, outcomes ...study.Outcome) (_ []error, err error) {
	ctx, done := s.traced(ctx, "record", id)
	defer done(&err)
	return s.Store.Record(ctx, id, each, outcomes...)
}

func (s instrumentedStore) Import(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) (err error) {
	defer s.done("import", time.Now(), &err)
	return s.Store.Import(ctx, id, batch, outcomes)
}

func (s instrumentedStore) Respondent(ctx context.Context, id, respondent string) (_ study.History, err error) {
	ctx, done := s.traced(ctx, "respondent", id)
	defer done(&err)
	return s.Store.Respondent(ctx, id, respondent)
}

func (s instrumentedStore) LastOutcome(ctx context.Context, id string, position study.Position) (_ study.Outcome, err error) {
	defer s.done("at", time.Now(), &err)
	return s.Store.LastOutcome(ctx, id, position)
}

func (s instrumentedStore) Log(ctx context.Context, id string, after int64, limit int) (_ []study.Outcome, err error) {
	defer s.done("log", time.Now(), &err)
	return s.Store.Log(ctx, id, after, limit)
}

func (s instrumentedStore) Undone(ctx context.Context, id string, after int64) (_ []study.Outcome, err error) {
	defer s.done("undone", time.Now(), &err)
	return s.Store.Undone(ctx, id, after)
}

func (s instrumentedStore) Length(ctx context.Context, id string) (_ int64, err error) {
	defer s.done("length", time.Now(), &err)
	return s.Store.Length(ctx, id)
}

func (s instrumentedStore) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) (err error) {
	defer s.done("lead", time.Now(), &err)
	return s.Store.AcquireLease(ctx, id, planner, now, until)
}

func (s instrumentedStore) Append(ctx context.Context, id, planner string, p study.Plan) (err error) {
	ctx, done := s.traced(ctx, "append", id)
	defer done(&err)
	return s.Store.Append(ctx, id, planner, p)
}

func (s instrumentedStore) Plans(ctx context.Context, id string, after, limit int) (_ []study.Plan, err error) {
	defer s.done("plans", time.Now(), &err)
	return s.Store.Plans(ctx, id, after, limit)
}

func (s instrumentedStore) LastPlan(ctx context.Context, id string) (_ study.Plan, err error) {
	defer s.done("last", time.Now(), &err)
	return s.Store.LastPlan(ctx, id)
}

func (s instrumentedStore) Claim(ctx context.Context, id string, n int, now time.Time) (_ study.Claim, err error) {
	ctx, done := s.traced(ctx, "claim", id)
	defer done(&err)
	return s.Store.Claim(ctx, id, n, now)
}

func (s instrumentedStore) Overdue(ctx context.Context, id string, before time.Time, limit int) (positions []study.Position, unclaimed int, err error) {
	defer s.done("overdue", time.Now(), &err)
	return s.Store.Overdue(ctx, id, before, limit)
}

func (s instrumentedStore) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) (err error) {
	defer s.done("save_snapshot", time.Now(), &err)
	return s.Store.SaveSnapshot(ctx, id, plan, state)
}

func (s instrumentedStore) Snapshot(ctx context.Context, id string) (plan int, state []byte, err error) {
	defer s.done("snapshot", time.Now(), &err)
	return s.Store.Snapshot(ctx, id)
}

func (s instrumentedStore) Beat(ctx context.Context, r study.Replica) (_ []study.Replica, err error) {
	defer s.done("beat", time.Now(), &err)
	return s.Store.Beat(ctx, r)
}

func (s instrumentedStore) Depart(ctx context.Context, r study.Replica) (err error) {
	defer s.done("depart", time.Now(), &err)
	return s.Store.Depart(ctx, r)
}

func (s instrumentedStore) Wake(ctx context.Context, ids []string) (err error) {
	defer s.done("wake", time.Now(), &err)
	return s.Store.Wake(ctx, ids)
}

// Listen is not measured, since it waits.
func (s instrumentedStore) Listen(ctx context.Context, woken func(id string, shard int)) error {
	err := s.Store.Listen(ctx, woken)
	s.failed("listen", err)
	return err
}

func (s instrumentedStore) Batches(ctx context.Context, id string) (_ []string, err error) {
	defer s.done("batches", time.Now(), &err)
	return s.Store.Batches(ctx, id)
}

func (s instrumentedStore) Adopt(ctx context.Context, w study.Archive) (err error) {
	defer s.done("adopt", time.Now(), &err)
	return s.Store.Adopt(ctx, w)
}

func (s instrumentedStore) DeleteUnchanged(ctx context.Context, id string, version int, last int64) (err error) {
	defer s.done("delete_unchanged", time.Now(), &err)
	return s.Store.DeleteUnchanged(ctx, id, version, last)
}

func (s instrumentedStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (_ study.Plan, err error) {
	defer s.done("erase", time.Now(), &err)
	return s.Store.Erase(ctx, id, respondent, p)
}

// traced measures and traces an operation.
func (s instrumentedStore) traced(ctx context.Context, operation, id string) (context.Context, func(err *error)) {
	begin := time.Now()
	ctx, end := s.tracer.Operation(ctx, operation, id)
	return ctx, func(err *error) {
		end(*err)
		s.done(operation, begin, err)
	}
}

// done measures an operation that has ended.
func (s instrumentedStore) done(operation string, begin time.Time, err *error) {
	s.metrics.StoreLatency(operation, time.Since(begin))
	s.failed(operation, *err)
}

// failed notes an error if it shows that the store is unavailable.
func (s instrumentedStore) failed(operation string, err error) {
	if errors.Is(err, study.ErrUnavailable) {
		s.metrics.StoreFailed(operation)
		s.outage.note(err)
	}
}

// An endingStore reports studies that end.
type endingStore struct {
	study.Store

	ended func(ctx context.Context, id string) // is called after the write that ends a study
}

func (s endingStore) Append(ctx context.Context, id, planner string, p study.Plan) error {
	err := s.Store.Append(ctx, id, planner, p)
	if err == nil && p.Done != "" {
		s.ended(ctx, id)
	}
	return err
}

func (s endingStore) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (study.Study, error) {
	changed, err := s.Store.Change(ctx, st, version, catalogue)
	if err == nil && changed.State == study.Done {
		s.ended(ctx, changed.ID)
	}
	return changed, err
}

func (s endingStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	written, err := s.Store.Erase(ctx, id, respondent, p)
	if err == nil && written.Done != "" {
		s.ended(ctx, id)
	}
	return written, err
}

// An outage is a time in which the store is unavailable.
type outage struct {
	log *slog.Logger

	mutex  sync.Mutex
	logged time.Time
}

// outageInterval is the minimum time between two log lines.
const outageInterval = 10 * time.Second

// note logs an outage, at most once every ten seconds.
func (o *outage) note(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.logged.IsZero() || time.Since(o.logged) > outageInterval {
		o.logged = time.Now()
		o.log.Error("the database is unavailable; requests that need it fail, and planning is retried", "error", err)
	}
}
