// Package sqlstore implements the parts of a store that SQLite and PostgreSQL share: the queries of studies, panels, plans,
// erasures, moves, tokens, webhooks and the audit log. The stores add recording, imports, locks and migrations.
//
// Queries use $1, $2 and so on, which both databases understand. A [Querier] converts times.
package sqlstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"

	"bestpick/internal/access"
	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// A Row is one row of a result.
type Row interface{ Scan(into ...any) error }

// Rows are the rows of a result.
type Rows interface {
	Row
	Next() bool
	Err() error
	Close()
}

// A Querier runs statements, inside a transaction or outside. It takes and scans time.Time in
// microseconds. Errors wrap sql.ErrNoRows if there is no row.
type Querier interface {
	Exec(ctx context.Context, query string, args ...any) (affected int64, err error)
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) Row

	// Batch runs statements one after the other until one fails, in one round trip to the database.
	Batch(ctx context.Context, statements ...Statement) error
}

// A Statement is part of a batch.
type Statement struct {
	Query string
	Args  []any
	Read  func(Rows) error // reads the selected rows; nil if there are none
}

// one returns a function that scans the only row of a statement, or returns sql.ErrNoRows.
func one(scan func(Row) error) func(Rows) error {
	return func(rows Rows) error {
		defer rows.Close()
		if !rows.Next() {
			return cmp.Or(rows.Err(), sql.ErrNoRows)
		}
		return scan(rows)
	}
}

// A Database runs transactions. Its Querier is used for reading only.
type Database interface {
	Querier

	// Transact runs f in a transaction. It is atomic, and may call f again after a conflict.
	Transact(ctx context.Context, f func(tx Querier) error) error

	// TransactLazily is Transact with a commit that need not wait for the disk. The log has transactions in order: what is
	// acknowledged later makes it durable.
	TransactLazily(ctx context.Context, f func(tx Querier) error) error

	// AtLeisure returns a context for statements that may take long.
	AtLeisure(ctx context.Context) (context.Context, context.CancelFunc)
}

// A Dialect has the SQL that differs between databases.
type Dialect struct {
	// Clauses that lock the selected rows. They are empty if a transaction that writes locks the whole database.
	ForUpdate, ForNoKeyUpdate, ForKeyShare string

	// SkipLocked locks the selected rows of progress, and skips rows that another transaction has locked.
	SkipLocked string

	// LockTable locks the table that follows it, against other writers.
	LockTable, LockMode string

	// Open is the condition of questions without a standing outcome.
	Open string

	// Names selects the strings of the JSON array $2.
	Names string

	// Claims inserts the questions of the study $1 from position $2 to before $3, claimed at $4.
	Claims string

	// Log selects the outcomes of the study with the ID $1 and numbers from after $2 to $3, in order.
	Log string

	// Arrival selects the arrival of the respondent $2 in the study $1.
	Arrival string

	// Arrive inserts the arrival of the respondent $2 in the study $1: its number, the hand as JSON, the
	// segment, the time and the plan.
	Arrive string

	// History selects the number of standing questions of the respondent $2 in the study $1, and the last arms shown.
	History string

	// PutMembers adds or replaces members. With numbered set, they keep their numbers.
	PutMembers func(ctx context.Context, tx Querier, k int64, members []study.Member, numbered bool) error
}

// Store implements the shared methods of a store. Safe for concurrent use.
type Store struct {
	db    Database
	d     *Dialect
	deals deals
}

// New returns a store on a database.
func New(db Database, d *Dialect) *Store {
	return &Store{db: db, d: d, deals: deals{waiting: map[string][]*deal{}}}
}

// Secret returns random bytes that all processes on this store share.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	err := s.db.Transact(ctx, func(tx Querier) error {
		if _, err := tx.Exec(ctx, `INSERT INTO secrets (one, bytes) VALUES (1, $1) ON CONFLICT DO NOTHING`, secret); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT bytes FROM secrets`).Scan(&secret)
	})
	return secret, err
}

// Key returns the key of a study in the other tables.
func (s *Store) Key(ctx context.Context, id string) (key int64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return keyIn(ctx, s.db, id)
}

// KeyOf is the key of the study with the ID $1, within a statement, which saves a transaction.
const KeyOf = `(SELECT key FROM studies WHERE id = $1)`

// list selects rows of a study, whose ID is $1.
func list[T any](ctx context.Context, s *Store, id string, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	if !study.IsText(id) {
		return nil, study.ErrNotFound
	}
	rows, err := s.db.Query(ctx, query, append([]any{id}, args...)...)
	found, err := Collect(rows, err, scan)
	if err == nil && len(found) == 0 {
		_, err = s.Key(ctx, id)
	}
	return found, err
}

// transact runs f with the key of a study in a transaction.
func (s *Store) transact(ctx context.Context, id string, f func(tx Querier, k int64) error) error {
	return s.db.Transact(ctx, func(tx Querier) error {
		k, err := keyIn(ctx, tx, id)
		if err != nil {
			return err
		}
		return f(tx, k)
	})
}

// keyIn returns the key of a study, in a transaction or outside.
func keyIn(ctx context.Context, q Querier, id string) (k int64, err error) {
	err = row(ctx, q, `SELECT key FROM studies WHERE id = $1`, id).Scan(&k)
	return k, Found(err)
}

// row selects one row by an ID in $1. PostgreSQL rejects strings that are not valid text; no row has such an ID.
func row(ctx context.Context, q Querier, query, id string, more ...any) Row {
	if !study.IsText(id) {
		return noRow{}
	}
	return q.QueryRow(ctx, query, append([]any{id}, more...)...)
}

type noRow struct{}

func (noRow) Scan(...any) error { return sql.ErrNoRows }

// Found replaces sql.ErrNoRows by ErrNotFound.
func Found(err error) error { return instead(err, study.ErrNotFound) }

// instead replaces sql.ErrNoRows by another error.
func instead(err, other error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return other
	}
	return err
}

// changed returns other if a statement affected no row.
func changed(affected int64, err, other error) error {
	if err == nil && affected == 0 {
		return other
	}
	return err
}

// Collect scans all rows of a result.
func Collect[T any](rows Rows, err error, scan func(Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, rows.Err()
}

// Column scans rows of one column.
func Column[T any](row Row) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}

// utc returns a stored time in UTC.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// present replaces nil by an empty slice, which is not NULL.
func present(bytes []byte) []byte {
	if bytes == nil {
		return []byte{}
	}
	return bytes
}

// A Contract is what both databases implement: a store of studies, tokens, the audit log, webhooks and
// background jobs. It never loses acknowledged writes. Safe for concurrent use. Package storetest tests it.
type Contract interface {
	study.Store
	access.Tokens
	access.Audit
	webhook.Store
	jobs.Queue

	// Backlog returns what waits for planners.
	Backlog(ctx context.Context) (Backlog, error)
}

// A Backlog is the work of all planners on a database.
type Backlog struct {
	Done, Others int64 // outcomes that no plan has counted, of studies that are done and of others
	Due          int64 // studies that need a plan although all their outcomes are counted
}

// ErrForeign reports a database of another program.
var ErrForeign = errors.New("not a database of bestpick")

// A Report describes a database.
type Report struct {
	Version  int64 // of its tables; 0 if there are none
	Newest   int64 // the latest version that this program knows
	Sound    bool  // the integrity check passed
	Studies  int64
	Outcomes int64
	Last     time.Time // time of the last answered, skipped or lost question; zero if there is none
	Bytes    int64     // its size
	Now      time.Time // by the clock of the database; zero if it has none
}

// Check returns an error if this program cannot use the database, even after an upgrade.
func (r Report) Check() error {
	if r.Version > r.Newest {
		return fmt.Errorf("the database has version %d, but this program supports only up to %d", r.Version, r.Newest)
	}
	return nil
}

// VersionTable has the version of the schema. Version 0.2.0 and earlier used goose's default, goose_db_version.
const VersionTable = "schema_versions"

// ErrOld reports a database whose schema this program does not know.
var ErrOld = errors.New("database of version 0.2.0 or earlier; start with a new one")

// Migrator returns a provider of the migrations in the folder migrations.
func Migrator(d goose.Dialect, db *sql.DB, files fs.FS, options ...goose.ProviderOption) (*goose.Provider, error) {
	migrations, err := fs.Sub(files, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(d, db, migrations, append(options, goose.WithTableName(VersionTable))...)
}

// Newest returns the latest version that this program knows.
func Newest(m *goose.Provider) (version int64) {
	for _, source := range m.ListSources() {
		version = max(version, source.Version)
	}
	return version
}

// CheckVersion returns an error if a migrated database is newer than this program.
func CheckVersion(ctx context.Context, m *goose.Provider) error {
	current, err := m.GetDBVersion(ctx)
	if err != nil {
		return err
	}
	return Report{Version: current, Newest: Newest(m)}.Check()
}
