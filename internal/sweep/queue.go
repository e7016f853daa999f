package sweep

import (
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"bestpick/internal/jobs"
)

// schema has the tables of River and those of schema.sql.
const schema = "bestpick_sweeps"

//go:embed schema.sql
var tables string

// A Queue executes the runs of a sweep on any number of machines, as jobs of River in a PostgreSQL database. It has the
// runs of one version of the program. Safe for concurrent use.
//
// The command that wants the results calls [Queue.Execute]; workers call [Queue.Work]. Runs are deterministic, so it does
// no harm to execute one twice. That replaces timeouts: when no run waits, the runs that take longest are queued again,
// at a low priority. If a worker was killed, another one executes its runs.
type Queue struct {
	pool *pgxpool.Pool
	name string // of River's queue
}

// A task is a run of a sweep, as the arguments of a job.
type task struct {
	Sweep int64           `json:"sweep"`
	Index int             `json:"index"` // among the runs that were passed to Execute
	Run   json.RawMessage `json:"run"`
}

// Kind identifies the jobs.
func (task) Kind() string { return "run" }

// OpenQueue connects to a PostgreSQL database and creates the tables of the queue if needed. Workers execute the runs of their
// own version only.
func OpenQueue(ctx context.Context, url, version string) (*Queue, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(version)) // never fails
	return &Queue{pool, "runs_" + hex.EncodeToString(sum.Sum(nil))}, nil
}

// Close closes the connections.
func (q *Queue) Close() { q.pool.Close() }

// migrate creates or updates the tables, and deletes abandoned sweeps.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if err := jobs.MigrateRiver(ctx, pool, schema); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", schema); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, tables)
		return err
	})
}
