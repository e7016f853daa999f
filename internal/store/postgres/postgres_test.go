package postgres

import (
	"database/sql"
	"errors"
	"log"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"bestpick/internal/store/sqlstore"
	"bestpick/internal/study"
	"bestpick/internal/testpostgres"
)

var server = testpostgres.New()

func TestMain(m *testing.M) {
	code := m.Run()
	if err := server.Stop(); err != nil {
		log.Fatal(err)
	}
	if err := goleak.Find(); err != nil && code == 0 {
		log.Fatal(err)
	}
	os.Exit(code)
}

// TestHistoryIsNoScan tests that the outcomes of a respondent are found by an index.
func TestHistoryIsNoScan(t *testing.T) {
	store, err := Open(t.Context(), server.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Create(t.Context(), study.Study{ID: "a"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, fill := range []string{
		`INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, asked, at, plan, note)
		SELECT 1, n, n, 'answered', '[1,2]', '[0]', 'respondent ' || n / 10, '', now(), now(), 1, ''
		FROM generate_series(1, 20000) AS n`,
		`INSERT INTO questions (study, position, number, stands) SELECT 1, n, n, true FROM generate_series(1, 20000) AS n`,
	} {
		if _, err := store.pool.Exec(t.Context(), fill); err != nil {
			t.Fatal(err)
		}
	}
	noScan(t, store, dialect.History, int64(1), "respondent 77")
	noScan(t, store, dialect.Arrival, int64(1), "respondent 77")
	noScan(t, store, standingQuestions, []int64{1}, []string{"respondent 77"})
	h, err := store.Respondent(t.Context(), "a", "respondent 77")
	if err != nil || h.Questions != 10 || len(h.LastShown) != 2 {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestDueIsNoScan: due studies are found by an index, however many rest.
func TestDueIsNoScan(t *testing.T) {
	store := openWith(t, server.Database(t))
	for _, fill := range []string{
		`INSERT INTO studies (id, version, body) SELECT 'study ' || n, 1, '' FROM generate_series(1, 20000) AS n`,
		`INSERT INTO progress (study, version, state, budget, deadline, seen, planned)
		SELECT key, 1, 'open', 0, '0001-01-01 00:00:00+00', 1, 9 FROM studies`,
		`ANALYZE`,
	} {
		if _, err := store.pool.Exec(t.Context(), fill); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := querier{store.pool}.Query(t.Context(), `EXPLAIN SELECT study FROM progress WHERE due <= now()`)
	lines, err := sqlstore.Collect(rows, err, sqlstore.Column[string])
	if plan := strings.Join(lines, "\n"); err != nil || !strings.Contains(plan, "progress_due") {
		t.Error(plan, err)
	}
}

// noScan reports a query that PostgreSQL would answer by reading whole tables.
func noScan(t *testing.T, store *Store, query string, args ...any) {
	t.Helper()
	rows, err := store.pool.Query(t.Context(), `EXPLAIN `+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(lines, "\n")
	if strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, "outcomes_respondent") {
		t.Error(plan)
	}
}

// TestLeasesBeginWithAConnection: leases run from when there is a connection to the database.
func TestLeasesBeginWithAConnection(t *testing.T) {
	url := server.Database(t)
	openWith(t, url, "a")
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	store := openWith(t, url+separator+"pool_max_conns=1")
	taken, err := store.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var free atomic.Bool
	time.AfterFunc(100*time.Millisecond, func() {
		free.Store(true)
		taken.Release()
	})
	clock := func() time.Time {
		if !free.Load() {
			t.Error("the lease begins before there is a connection")
		}
		return time.Unix(1000, 0)
	}
	if due, err := store.Attend(t.Context(), "one", clock, time.Second, 1, []string{"a"}); err != nil || len(due) != 1 {
		t.Errorf("%+v, %v", due, err)
	}
}

// TestLogIsNoScan: a page of the log is found by an index, for any number of imported outcomes.
func TestLogIsNoScan(t *testing.T) {
	store := openWith(t, server.Database(t), "a")
	for _, fill := range []string{
		`INSERT INTO outcomes (study, number, position, kind, shown, picks, respondent, segment, asked, at, plan, note)
		SELECT 1, n, n, 'answered', '[1,2]', '[0]', '', '', now(), now(), 1, '' FROM generate_series(1, 20000) AS n`,
		`INSERT INTO imports (study, after, rows) VALUES (1, 20000, 20000), (1, NULL, 0)`,
		`INSERT INTO imported (import, place, kind, shown, picks, respondent, segment, asked, at, note)
		SELECT key, n, 'imported', '[1,2]', '[0]', '', '', now(), now(), '' FROM imports, generate_series(1, 20000) AS n`,
		`UPDATE progress SET outcomes = 40000`,
		`ANALYZE`,
	} {
		if _, err := store.pool.Exec(t.Context(), fill); err != nil {
			t.Fatal(err)
		}
	}
	for _, after := range []int64{100, 19_995, 30_000} {
		rows, err := querier{store.pool}.Query(t.Context(), `EXPLAIN `+dialect.Log, "a", after, after+10)
		lines, err := sqlstore.Collect(rows, err, sqlstore.Column[string])
		if err != nil {
			t.Fatal(err)
		}
		if plan := strings.Join(lines, "\n"); strings.Contains(plan, "Seq Scan on imported") || strings.Contains(plan,
			"Seq Scan on outcomes") {
			t.Error(plan)
		}
		log, err := store.Log(t.Context(), "a", after, 10)
		if err != nil || len(log) != 10 || log[0].Number != after+1 || log[9].Number != after+10 ||
			(log[9].Kind == study.Imported) != (after > 19_000) {
			t.Errorf("after %d: %+v, %v", after, log, err)
		}
	}
}

func TestInspect(t *testing.T) {
	url := server.Database(t)
	report, err := Inspect(t.Context(), url)
	if err != nil || report.Version != 0 || report.Newest != 1 {
		t.Errorf("an empty database: %+v, %v", report, err)
	}
	if apart := time.Since(report.Now); apart < -time.Second || apart > time.Second {
		t.Errorf("the clock of the same machine is %v behind", apart)
	}
	if err := TryWrite(t.Context(), url); err != nil {
		t.Error(err)
	}
	filled := server.Database(t)
	store := openWith(t, filled, "a")
	if _, err := store.Record(t.Context(), "a", study.Terms{}, answerTo(0)); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	report, err = Inspect(t.Context(), filled)
	if err != nil || report.Version != 1 || report.Studies != 1 || report.Outcomes == 0 || report.Last.IsZero() ||
		report.Bytes == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if err := TryWrite(t.Context(), filled); err != nil {
		t.Error(err)
	}
	db := openPlainly(t, url)
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE studies (none integer)`); err != nil {
		t.Fatal(err)
	}
	if _, err := Inspect(t.Context(), url); !errors.Is(err, sqlstore.ErrForeign) {
		t.Errorf("another one: %v", err)
	}
	if err := TryWrite(t.Context(), url+"&options=-c%20default_transaction_read_only%3Don"); err == nil {
		t.Error("it was written, and must not be")
	}
}

func openPlainly(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// TestNewer: a database of a later version is not changed.
func TestNewer(t *testing.T) {
	url := server.Database(t)
	store, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.pool.Exec(t.Context(), `INSERT INTO `+sqlstore.VersionTable+` (version_id, is_applied) VALUES (1000000, true)`)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), url); err == nil || !strings.HasPrefix(err.Error(), "the database has version 1000000") {
		t.Errorf("got %v", err)
	}
}

// TestOld: a database of an earlier version is not changed, and the error says what to do.
func TestOld(t *testing.T) {
	url := server.Database(t)
	_, err := openPlainly(t, url).ExecContext(t.Context(), `
		CREATE TABLE goose_db_version (version_id bigint, is_applied boolean); INSERT INTO goose_db_version VALUES (14, true);
		CREATE TABLE studies (a int); CREATE TABLE progress (a int); CREATE TABLE outcomes (a int)`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), url); !errors.Is(err, sqlstore.ErrOld) {
		t.Errorf("open: %v", err)
	}
	if _, err := Inspect(t.Context(), url); !errors.Is(err, sqlstore.ErrOld) {
		t.Errorf("inspect: %v", err)
	}
}
