package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"bestpick/internal/access"
	"bestpick/internal/jobs"
	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/internal/webhook"
)

// TestClassify: a lost connection may pass; an invalid query does not, nor does an unknown study.
func TestClassify(t *testing.T) {
	s, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.pool.Exec(t.Context(), `SELECT pg_terminate_backend(pg_backend_pid())`); !unavailable(classify(err)) {
		t.Errorf("the connection was ended, and %v", err)
	}
	if _, err := s.List(t.Context(), "", 1); err != nil {
		t.Errorf("there are other connections, but %v", err)
	}
	if _, err := s.pool.Exec(t.Context(), `SELECT nothing`); err == nil || unavailable(classify(err)) {
		t.Errorf("the query makes no sense, and %v", err)
	}
	if _, err := s.Study(t.Context(), "none"); err == nil || unavailable(err) {
		t.Errorf("there is no such study, and %v", err)
	}
	for code, passes := range map[string]bool{
		"53100": true, "53300": true, "57P01": true, "57P03": true, "08006": true, "58030": true, "25006": true,
		"57014": false, "23505": false, "42601": false, "22P02": false, "XX001": false,
	} {
		if unavailable(classify(&pgconn.PgError{Code: code})) != passes {
			t.Errorf("%s: %v", code, !passes)
		}
	}
}

// TestWarnings: warnings of River are in the log in our words, with the original message as the reason. Its other records
// are not.
func TestWarnings(t *testing.T) {
	var text strings.Builder
	log := slog.New(warnings{slog.NewTextHandler(&text, nil)})
	log.Info("producer: Run loop started")
	log.Warn("producer: Error fetching queue settings", "err", "no connection")
	const want = `level=WARN msg="background jobs are disturbed; they are retried" reason="producer: Error fetching queue settings" err="no connection"`
	if got := text.String(); !strings.Contains(got, want) || strings.Count(got, "\n") != 1 {
		t.Errorf("the log is %s, want %s", got, want)
	}
}

// TestCancelled: a call whose context is cancelled between two statements of a transaction is no
// outage.
func TestCancelled(t *testing.T) {
	s, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = s.transact(ctx, durable, func(tx pgx.Tx) error {
		cancel()
		_, err := tx.Exec(ctx, `SELECT 1`)
		return err
	})
	if !errors.Is(err, context.Canceled) || unavailable(err) {
		t.Errorf("%v", err)
	}
}

func unavailable(err error) bool { return errors.Is(err, study.ErrUnavailable) }

// TestUnavailable: no operation works without a server, and each may work later.
func TestUnavailable(t *testing.T) {
	nowhere, err := pgxpool.New(t.Context(), "postgres://127.0.0.1:1/x")
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(nowhere)
	s.outcomes = sqlstore.NewWriter(s.write)
	defer s.Close()
	testsupport.Refuses(t, s, func(_ string, err error) bool { return unavailable(err) }, answerTo(0),
		access.Token{Name: "a", Role: access.Owner, Hash: access.Hash("a"), Created: time.Unix(0, 0)},
		access.Entry{At: time.Unix(0, 0), Operation: "import-answers"}, jobs.Erasure{Study: "a"},
		webhook.Hook{Study: "a", URL: "https://a.test", Secret: "a", Delivery: "a", State: webhook.Waiting})
}

// TestUnavailableInTheMiddle: a transaction whose connection is lost has written nothing, and the next one works.
func TestUnavailableInTheMiddle(t *testing.T) {
	s, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	now := time.Now()
	if err := s.Create(t.Context(), study.Study{ID: "a", Version: 1, State: study.Open, Created: now}, nil); err != nil {
		t.Fatal(err)
	}
	blocker, err := s.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blocker.Exec(t.Context(), `LOCK TABLE outcomes IN EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	answer := study.Outcome{Kind: study.Answered, Shown: []int{0, 1}, Picks: []int{0}, At: now}
	failed := make(chan error)
	go func() {
		_, err := s.Record(t.Context(), "a", study.Terms{}, answer)
		failed <- err
	}()
	for ended := false; !ended; time.Sleep(time.Millisecond) {
		if err := s.pool.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) > 0 FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&ended); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-failed; !unavailable(err) {
		t.Errorf("the connection was ended, and %v", err)
	}
	if err := blocker.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if refused, err := s.Record(t.Context(), "a", study.Terms{}, answer); err != nil || refused[0] != nil {
		t.Errorf("%v, %v", refused, err)
	}
}

// TestLimits: a statement that takes too long is cancelled, in every way of sending it, unless its
// context has a deadline. The connection is not used again. Waiting for a connection ends, too.
func TestLimits(t *testing.T) {
	config, err := pgxpool.ParseConfig(server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	limit(config)
	config.ConnConfig.Tracer = limiter{time.Second, time.Second}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	const long = `SELECT pg_sleep(20)`
	for name, send := range map[string]func(context.Context) error{
		"a statement": func(ctx context.Context) error {
			_, err := pool.Exec(ctx, long)
			return err
		},
		"a row": func(ctx context.Context) error {
			var nothing string
			return pool.QueryRow(ctx, long).Scan(&nothing)
		},
		"a transaction": func(ctx context.Context) error {
			return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, long)
				return err
			})
		},
		"a batch": func(ctx context.Context) error {
			var queries pgx.Batch
			queries.Queue(`SELECT 1`)
			queries.Queue(long)
			return pool.SendBatch(ctx, &queries).Close()
		},
	} {
		began := time.Now()
		if err := send(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !unavailable(classify(err)) ||
			time.Since(began) > 10*time.Second {
			t.Errorf("%s took %v: %v", name, time.Since(began), err)
		}
		var one int
		if err := pool.QueryRow(t.Context(), `SELECT 1`).Scan(&one); err != nil || one != 1 {
			t.Errorf("after %s: %d, %v", name, one, err)
		}
	}
	only, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	testsupport.Wait(t, "a statement without a free connection", func() {
		if _, err := pool.Exec(t.Context(), `SELECT 1`); !unavailable(classify(err)) {
			t.Errorf("without a free connection: %v", err)
		}
	})
	only.Release()
	leisurely, cancel := atLeisure(t.Context())
	defer cancel()
	if _, err := pool.Exec(leisurely, `SELECT pg_sleep(1.2)`); err != nil {
		t.Error(err)
	}
}

// TestInTheWay: a transaction that failed because of others is retried from the start.
func TestInTheWay(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for code, want := range map[string]int{"40001": 3, "40P01": 3, "23505": 1} {
		attempts := 0
		err := store.transact(t.Context(), durable, func(tx pgx.Tx) error {
			attempts++
			if _, err := tx.Exec(t.Context(), `INSERT INTO studies (id, version, body) VALUES ($1, 1, '')`, code); err != nil {
				return err
			}
			if attempts < 3 {
				return &pgconn.PgError{Code: code}
			}
			return nil
		})
		failure, failed := errors.AsType[*pgconn.PgError](err)
		if attempts != want || failed != (want == 1) || failed && failure.Code != code {
			t.Errorf("%s: %d attempts, %v", code, attempts, err)
		}
		var there int
		if err := store.pool.QueryRow(t.Context(), `SELECT count(*) FROM studies WHERE id = $1`, code).Scan(&there); err != nil {
			t.Fatal(err)
		}
		if there != want/3 {
			t.Errorf("%s: %d rows", code, there)
		}
	}
}

// TestDeadlock: both transactions of a deadlock succeed.
func TestDeadlock(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.pool.Exec(t.Context(), `
		INSERT INTO studies (id, version, body) VALUES ('a', 0, ''), ('b', 0, '')`); err != nil {
		t.Fatal(err)
	}
	const raise = `UPDATE studies SET version = version + 1 WHERE id = $1`
	met, done := make(chan struct{}), make(chan error)
	swap := func(first, second string, meet func()) {
		attempts := 0
		done <- store.transact(t.Context(), durable, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), raise, first); err != nil {
				return err
			}
			if attempts++; attempts == 1 {
				meet()
			}
			_, err := tx.Exec(t.Context(), raise, second)
			return err
		})
	}
	go swap("a", "b", func() { met <- struct{}{} })
	go swap("b", "a", func() { <-met })
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var least, most int
	if err := store.pool.QueryRow(t.Context(), `SELECT min(version), max(version) FROM studies`).Scan(&least, &most); err != nil {
		t.Fatal(err)
	}
	if least != 2 || most != 2 {
		t.Errorf("the versions are from %d to %d", least, most)
	}
}

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
				results, err := store.Record(t.Context(), id, study.Terms{}, answerTo(p))
				for errors.Is(err, study.ErrBusy) { // the machine is slow
					results, err = store.Record(t.Context(), id, study.Terms{}, answerTo(p))
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
	_, err := store.AcquireLease(t.Context(), id, "planner", now, now.Add(time.Hour))
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
	if _, err := store.AcquireLease(ctx, id, "planner", now, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for p := range answers {
		if results, err := store.Record(ctx, id, study.Terms{}, answerTo(p)); err != nil || results[0] != nil {
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
				_, err := store.AcquireLease(ctx, "a", "planner", now, now.Add(time.Hour))
				return err
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
	if _, err := store.AcquireLease(t.Context(), "a", "planner", now, now.Add(time.Hour)); err != nil {
		t.Error(err)
	}
}
