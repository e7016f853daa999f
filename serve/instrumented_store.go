package serve

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/observe"
	"bestpick/internal/store"
	"bestpick/internal/study"
)

// An instrumentedStore measures every operation of a store that a server calls, traces the operations that respondents
// and planners wait for, and logs when the store is unavailable.
type instrumentedStore struct {
	study.Store

	metrics *observe.Metrics
	outage  *outage
	tracer  *observe.Tracer // may be nil
	secret  string          // outside the store
}

func (s instrumentedStore) Create(ctx context.Context, st study.Study, catalogue []byte) error {
	return s.measure("create", func() error { return s.Store.Create(ctx, st, catalogue) })
}

func (s instrumentedStore) Study(ctx context.Context, id string) (study.Study, error) {
	return measured(s, "study", func() (study.Study, error) { return s.Store.Study(ctx, id) })
}

func (s instrumentedStore) List(ctx context.Context, before string, limit int) ([]study.Study, error) {
	return measured(s, "list", func() ([]study.Study, error) { return s.Store.List(ctx, before, limit) })
}

func (s instrumentedStore) Change(ctx context.Context, st study.Study, version int, catalogue []byte) (study.Study, error) {
	return measured(s, "change", func() (study.Study, error) { return s.Store.Change(ctx, st, version, catalogue) })
}

func (s instrumentedStore) Delete(ctx context.Context, id string) error {
	return s.measure("delete", func() error { return s.Store.Delete(ctx, id) })
}

func (s instrumentedStore) Catalogue(ctx context.Context, id string) ([]byte, error) {
	return measured(s, "catalogue", func() ([]byte, error) { return s.Store.Catalogue(ctx, id) })
}

func (s instrumentedStore) AddPictures(ctx context.Context, id string, pictures []study.Picture) error {
	return s.measure("add_pictures", func() error { return s.Store.AddPictures(ctx, id, pictures) })
}

func (s instrumentedStore) Picture(ctx context.Context, id, hash string) (study.Picture, error) {
	return measured(s, "picture", func() (study.Picture, error) { return s.Store.Picture(ctx, id, hash) })
}

func (s instrumentedStore) Admit(ctx context.Context, id, respondent string, answers map[string]string) error {
	return s.measure("admit", func() error { return s.Store.Admit(ctx, id, respondent, answers) })
}

func (s instrumentedStore) Agree(ctx context.Context, id, respondent, text string, at time.Time) error {
	return s.measure("agree", func() error { return s.Store.Agree(ctx, id, respondent, text, at) })
}

func (s instrumentedStore) Hold(ctx context.Context, id, respondent string, now, until time.Time) error {
	return s.measure("hold", func() error { return s.Store.Hold(ctx, id, respondent, now, until) })
}

func (s instrumentedStore) Groups(ctx context.Context, id string, now time.Time) ([]study.Group, error) {
	return measured(s, "groups", func() ([]study.Group, error) { return s.Store.Groups(ctx, id, now) })
}

func (s instrumentedStore) Profile(ctx context.Context, id, respondent string) (study.Profile, error) {
	return measured(s, "profile", func() (study.Profile, error) { return s.Store.Profile(ctx, id, respondent) })
}

func (s instrumentedStore) Profiles(ctx context.Context, id, after string, limit int) ([]study.Profile, error) {
	return measured(s, "profiles", func() ([]study.Profile, error) { return s.Store.Profiles(ctx, id, after, limit) })
}

func (s instrumentedStore) RemoveProfile(ctx context.Context, id, respondent string) error {
	return s.measure("remove_profile", func() error { return s.Store.RemoveProfile(ctx, id, respondent) })
}

func (s instrumentedStore) ChangePanel(
	ctx context.Context, st study.Study, version int, change study.PanelChange,
) (study.Study, error) {
	return measured(s, "change_panel", func() (study.Study, error) { return s.Store.ChangePanel(ctx, st, version, change) })
}

func (s instrumentedStore) Member(ctx context.Context, id, hash string) (study.Member, error) {
	return measured(s, "member", func() (study.Member, error) { return s.Store.Member(ctx, id, hash) })
}

func (s instrumentedStore) MembersNamed(ctx context.Context, id string, names []string) ([]study.Member, error) {
	return measured(s, "members_named", func() ([]study.Member, error) { return s.Store.MembersNamed(ctx, id, names) })
}

func (s instrumentedStore) Members(ctx context.Context, id string, after int64, limit int) ([]study.Member, error) {
	return measured(s, "members", func() ([]study.Member, error) { return s.Store.Members(ctx, id, after, limit) })
}

func (s instrumentedStore) Record(
	ctx context.Context, id string, terms study.Terms, outcomes ...study.Outcome,
) (_ []error, err error) {
	ctx, done := s.traced(ctx, "record", id)
	defer done(&err)
	return s.Store.Record(ctx, id, terms, outcomes...)
}

func (s instrumentedStore) Import(ctx context.Context, id, batch string, outcomes iter.Seq2[study.Outcome, error]) error {
	return s.measure("import", func() error { return s.Store.Import(ctx, id, batch, outcomes) })
}

func (s instrumentedStore) Respondent(ctx context.Context, id, respondent string) (_ study.History, err error) {
	ctx, done := s.traced(ctx, "respondent", id)
	defer done(&err)
	return s.Store.Respondent(ctx, id, respondent)
}

func (s instrumentedStore) LastOutcome(ctx context.Context, id string, position study.Position) (study.Outcome, error) {
	return measured(s, "at", func() (study.Outcome, error) { return s.Store.LastOutcome(ctx, id, position) })
}

func (s instrumentedStore) Log(ctx context.Context, id string, after int64, limit int) ([]study.Outcome, error) {
	return measured(s, "log", func() ([]study.Outcome, error) { return s.Store.Log(ctx, id, after, limit) })
}

func (s instrumentedStore) Undone(ctx context.Context, id string, after int64) ([]study.Outcome, error) {
	return measured(s, "undone", func() ([]study.Outcome, error) { return s.Store.Undone(ctx, id, after) })
}

func (s instrumentedStore) Length(ctx context.Context, id string) (int64, error) {
	return measured(s, "length", func() (int64, error) { return s.Store.Length(ctx, id) })
}

func (s instrumentedStore) AcquireLease(ctx context.Context, id, planner string, now, until time.Time) (study.Work, error) {
	return measured(s, "lead", func() (study.Work, error) { return s.Store.AcquireLease(ctx, id, planner, now, until) })
}

func (s instrumentedStore) Look(ctx context.Context, id string) (study.Work, error) {
	return measured(s, "look", func() (study.Work, error) { return s.Store.Look(ctx, id) })
}

func (s instrumentedStore) Append(ctx context.Context, id, planner string, p study.Plan) (err error) {
	ctx, done := s.traced(ctx, "append", id)
	defer done(&err)
	return s.Store.Append(ctx, id, planner, p)
}

func (s instrumentedStore) Plans(ctx context.Context, id string, after, limit int) ([]study.Plan, error) {
	return measured(s, "plans", func() ([]study.Plan, error) { return s.Store.Plans(ctx, id, after, limit) })
}

func (s instrumentedStore) LastPlan(ctx context.Context, id string) (study.Plan, error) {
	return measured(s, "last", func() (study.Plan, error) { return s.Store.LastPlan(ctx, id) })
}

func (s instrumentedStore) Claim(ctx context.Context, id string, n int, now time.Time) (_ study.Claim, err error) {
	ctx, done := s.traced(ctx, "claim", id)
	defer done(&err)
	return s.Store.Claim(ctx, id, n, now)
}

func (s instrumentedStore) Deal(
	ctx context.Context, id string, n int, withdrawn []int, arrival study.Outcome,
) (_ study.Outcome, err error) {
	ctx, done := s.traced(ctx, "deal", id)
	defer done(&err)
	return s.Store.Deal(ctx, id, n, withdrawn, arrival)
}

func (s instrumentedStore) Hand(ctx context.Context, id, respondent string) (_ study.Outcome, _ []study.Position, err error) {
	defer s.done("hand", time.Now(), &err)
	return s.Store.Hand(ctx, id, respondent)
}

func (s instrumentedStore) Overdue(ctx context.Context, id string, before time.Time, limit int) ([]study.Position, error) {
	return measured(s, "overdue", func() ([]study.Position, error) { return s.Store.Overdue(ctx, id, before, limit) })
}

func (s instrumentedStore) SaveSnapshot(ctx context.Context, id string, plan int, state []byte) error {
	return s.measure("save_snapshot", func() error { return s.Store.SaveSnapshot(ctx, id, plan, state) })
}

func (s instrumentedStore) Snapshot(ctx context.Context, id string) (plan int, state []byte, err error) {
	defer s.done("snapshot", time.Now(), &err)
	return s.Store.Snapshot(ctx, id)
}

func (s instrumentedStore) Attend(
	ctx context.Context, planner string, clock func() time.Time, lease time.Duration, limit int, ids []string,
) ([]study.Pulse, error) {
	return measured(s, "attend", func() ([]study.Pulse, error) {
		return s.Store.Attend(ctx, planner, clock, lease, limit, ids)
	})
}

func (s instrumentedStore) Release(ctx context.Context, id, planner string, seen int) error {
	return s.measure("release", func() error { return s.Store.Release(ctx, id, planner, seen) })
}

func (s instrumentedStore) Wake(ctx context.Context, ids []string) error {
	return s.measure("wake", func() error { return s.Store.Wake(ctx, ids) })
}

// Listen is not measured, since it waits.
func (s instrumentedStore) Listen(ctx context.Context, woken func(id string)) error {
	err := s.Store.Listen(ctx, woken)
	s.failed("listen", err)
	return err
}

func (s instrumentedStore) Erase(ctx context.Context, id, respondent string, p study.Plan) (study.Plan, error) {
	return measured(s, "erase", func() (study.Plan, error) { return s.Store.Erase(ctx, id, respondent, p) })
}

func (s instrumentedStore) RemoveNames(ctx context.Context, id string, at time.Time) error {
	return s.measure("remove_names", func() error { return s.Store.RemoveNames(ctx, id, at) })
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

// measure measures an operation.
func (s instrumentedStore) measure(operation string, do func() error) (err error) {
	defer s.done(operation, time.Now(), &err)
	return do()
}

// measured measures an operation with a result.
func measured[T any](s instrumentedStore, operation string, do func() (T, error)) (_ T, err error) {
	defer s.done(operation, time.Now(), &err)
	return do()
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

// Observed tokens log when the store is unavailable as a caller of the API is identified.
type observedTokens struct {
	store.Store

	outage *outage
}

func (t observedTokens) Token(ctx context.Context, hash string) (access.Token, error) {
	token, err := t.Store.Token(ctx, hash)
	if errors.Is(err, study.ErrUnavailable) {
		t.outage.note(err)
	}
	return token, err
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
