package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/testpostgres"
)

var server = testpostgres.New()

func TestMain(m *testing.M) {
	writeAsChild()
	code := m.Run()
	if err := server.Stop(); err != nil {
		log.Fatal(err)
	}
	if err := goleak.Find(); err != nil && code == 0 {
		log.Fatal(err)
	}
	os.Exit(code)
}

// A database is a kind of store, with the means of tests to see behind its interface.
type database struct {
	name   string
	create func(t testing.TB) (place string) // an empty database, by path or URL
	open   func(place string) (Store, error)

	driver string // of database/sql
	tables string // selects the names of the tables that have a column study
	age    string // makes staged imports old enough to be swept
	plain  func(ctx context.Context, place string, rows int) error
}

func sqliteFiles() database {
	return database{
		name: "sqlite",
		create: func(t testing.TB) string {
			t.Helper()
			return filepath.Join(t.TempDir(), "a study?&%41#é.db") // needs escaping in a URI
		},
		open:   func(path string) (Store, error) { return sqlite.Open(path) },
		driver: "sqlite",
		tables: `SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' AND c.name = 'study'`,
		age:    `UPDATE imports SET touched = touched - 3660`,
		plain:  insertIntoSQLite,
	}
}

func postgresServer() database {
	return database{
		name: "postgres",
		create: func(t testing.TB) string {
			t.Helper()
			return server.Prepared(t, func(url string) error {
				store, err := postgres.Open(t.Context(), url)
				if err != nil {
					return err
				}
				return store.Close()
			})
		},
		open:   func(url string) (Store, error) { return postgres.Open(context.Background(), url) },
		driver: "pgx",
		tables: `SELECT table_name::text FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'study'`,
		age:    `UPDATE imports SET touched = touched - interval '61 minutes'`,
		plain:  insertIntoPostgres,
	}
}

// databaseAt returns the kind of database that has the place.
func databaseAt(place string) database {
	if strings.HasPrefix(place, "postgres") {
		return postgresServer()
	}
	return sqliteFiles()
}

// stage returns the fixture of a test at a place.
func (d database) stage(t *testing.T, place string) *stage {
	t.Helper()
	return &stage{T: t, open: func() (Store, error) { return d.open(place) }}
}

// connect connects to the database at a place, beside the store.
func (d database) connect(t testing.TB, place string) *sql.DB {
	t.Helper()
	if d.driver == "sqlite" {
		place = sqliteURI(place)
	}
	db, err := sql.Open(d.driver, place)
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

// sqliteURI returns the address of a file, with the settings of the store.
func sqliteURI(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(10000)&_pragma=synchronous(FULL)"
}

// rowsIn returns the number of rows of a table.
func rowsIn(t testing.TB, db *sql.DB, table string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// onEach runs a test on each kind of database.
func onEach(t *testing.T, test func(t *testing.T, d database)) {
	t.Helper()
	for _, d := range []database{sqliteFiles(), postgresServer()} {
		t.Run(d.name, func(t *testing.T) { test(t, d) })
	}
}

func TestStore(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		t.Helper()
		t.Parallel()
		runSuite(t, func(t testing.TB) func() (Store, error) {
			t.Helper()
			place := d.create(t)
			return func() (Store, error) { return d.open(place) }
		})
	})
}

func TestKilled(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		t.Helper()
		killed(t, d, 20)
	})
}

func TestKilledDeal(t *testing.T) { onEach(t, killedDeal) }

func TestKilledImport(t *testing.T) { onEach(t, killedImport) }

func TestNothingIsStaged(t *testing.T) { onEach(t, failedImport) }

func TestImportMemory(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		t.Helper()
		importMemory(t, d, 60_000)
	})
}

func TestJobRescued(t *testing.T) { rescued(t, sqliteFiles()) }

// TestNothingIsLeft: no table has data of a deleted study.
func TestNothingIsLeft(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		t.Helper()
		place := d.create(t)
		s := d.stage(t, place)
		store := s.store()
		fill(t, store)
		s.must(store.Delete(t.Context(), "a"))
		db := d.connect(t, place)
		tables := textsOf(t, db, d.tables)
		if len(tables) == 0 {
			t.Fatal("no table has a column study")
		}
		for _, table := range append(tables, "studies", "imported") {
			if left := rowsIn(t, db, table); left > 0 {
				t.Errorf("%s has %d rows", table, left)
			}
		}
	})
}

// textsOf returns the first column of a query.
func textsOf(t testing.TB, db *sql.DB, query string) (texts []string) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestJobsLeaveNothing: jobs that are done or removed leave nothing in a file and its write-ahead log, and jobs that are
// removed leave nothing in the tables of River.
func TestJobsLeaveNothing(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		path := sqliteFiles().create(t)
		leavesNothing(t, sqliteFiles(), path, 20*time.Second, func(secret string) bool {
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			log, err := os.ReadFile(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			return bytes.Contains(append(file, log...), []byte(secret))
		})
	})
	t.Run("postgres", func(t *testing.T) { riverLeavesNothing(t, 0) })
}

func riverLeavesNothing(t *testing.T, within time.Duration) {
	t.Helper()
	url := postgresServer().create(t)
	db := postgresServer().connect(t, url)
	leavesNothing(t, postgresServer(), url, within, func(secret string) bool {
		var rows int
		const having = `SELECT count(*) FROM bestpick_jobs.river_job WHERE river_job::text LIKE '%' || $1 || '%'`
		if err := db.QueryRowContext(t.Context(), having, secret).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		return rows > 0
	})
}

func BenchmarkRecord(b *testing.B) { benchmarkEach(b, study.NoLimit) }

// BenchmarkRecordLimited is BenchmarkRecord in a study with a limit of questions per respondent.
func BenchmarkRecordLimited(b *testing.B) { benchmarkEach(b, 20) }

func benchmarkEach(b *testing.B, each int) {
	b.Helper()
	for _, d := range []database{sqliteFiles(), postgresServer()} {
		b.Run(d.name, func(b *testing.B) {
			place := d.create(b)
			store, err := d.open(place)
			if err != nil {
				b.Fatal(err)
			}
			defer store.Close()
			benchmark(b, store, each, func(rows int) error { return d.plain(b.Context(), place, rows) })
		})
	}
}

// insertIntoSQLite inserts rows into a table like that of outcomes, in successive transactions.
func insertIntoSQLite(ctx context.Context, path string, rows int) error {
	db, err := sql.Open("sqlite", sqliteURI(path))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, `
		CREATE TABLE plain (
			study INTEGER NOT NULL, number INTEGER NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL,
			shown TEXT NOT NULL, picks TEXT NOT NULL, respondent TEXT NOT NULL, segment TEXT NOT NULL, plan INTEGER NOT NULL,
			asked INTEGER NOT NULL, at INTEGER NOT NULL, undoes INTEGER, PRIMARY KEY (study, number)
		) WITHOUT ROWID`)
	if err != nil {
		return err
	}
	for n := 0; n < rows; n += atOnce {
		if err := insertAtOnce(ctx, db, n, min(n+atOnce, rows)); err != nil {
			return err
		}
	}
	_, err = db.ExecContext(ctx, `DROP TABLE plain`)
	return err
}

// insertAtOnce inserts the rows from first to last in one transaction.
func insertAtOnce(ctx context.Context, db *sql.DB, first, last int) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO plain
		VALUES (1, ?, ?, 'answered', '[1,2,3]', '[2,0]', 'respondent', 'north', 1, ?, ?, NULL)`)
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	defer insert.Close()
	for n := first; n < last; n++ {
		if _, err := insert.ExecContext(ctx, n, n, n, n); err != nil {
			return errors.Join(err, tx.Rollback())
		}
	}
	return tx.Commit()
}

// insertIntoPostgres inserts rows into a table like that of outcomes, in successive transactions.
func insertIntoPostgres(ctx context.Context, url string, rows int) error {
	db, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(ctx) }()
	_, err = db.Exec(ctx, `
		CREATE TABLE plain (
			study bigint NOT NULL, number bigint NOT NULL, position bigint NOT NULL, kind text NOT NULL,
			shown json NOT NULL, picks json NOT NULL, respondent text NOT NULL, segment text NOT NULL, plan bigint NOT NULL,
			asked timestamptz NOT NULL, at timestamptz NOT NULL, undoes bigint, PRIMARY KEY (study, number)
		)`)
	if err != nil {
		return err
	}
	at := time.Unix(0, 0)
	for n := 0; n < rows; {
		var inserts pgx.Batch // one transaction
		for range min(atOnce, rows-n) {
			n++
			inserts.Queue(`INSERT INTO plain VALUES (1, $1, $2, 'answered', '[1,2,3]', '[2,0]', 'respondent', 'north', 1, $3,
				$4, NULL)`, n, n, at, at)
		}
		if err := db.SendBatch(ctx, &inserts).Close(); err != nil {
			return err
		}
	}
	_, err = db.Exec(ctx, `DROP TABLE plain`)
	return err
}
