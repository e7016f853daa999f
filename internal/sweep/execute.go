package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// The pace of a command that waits for results.
const (
	pollEvery   = 200 * time.Millisecond
	firstRepeat = 5 * time.Second // after which a run is queued again if no run waits; doubled each time
	insertBatch = 5_000
	repeatsLast = 4 // River's lowest priority
)

// Work is what [Queue.Execute] executes.
type Work struct {
	Spec []byte            // passed to the workers' [Executor]
	Runs []json.RawMessage // likewise

	Done func(run int, result json.RawMessage) error // called once for each of the Runs, one call at a time, in any order
	Idle func()                                      // called once if no worker takes a run
}

// Execute has workers execute a sweep. It returns when every run is done or one failed, with the error of that run or of
// Done, or when ctx is done. Its jobs are deleted then.
func (q *Queue) Execute(ctx context.Context, s Work) error {
	var id int64
	if err := q.pool.QueryRow(ctx, "INSERT INTO bestpick_sweeps.sweep (spec) VALUES ($1) RETURNING id",
		s.Spec).Scan(&id); err != nil {
		return err
	}
	defer q.remove(context.WithoutCancel(ctx), id)
	client, err := river.NewClient(riverpgxv5.New(q.pool), &river.Config{Schema: schema})
	if err != nil {
		return err
	}
	e := &execution{Work: s, q: q, id: id, client: client, open: map[int]repeat{}, started: time.Now()}
	var all []int
	for i := range s.Runs {
		all = append(all, i)
		e.open[i] = repeat{due: e.started.Add(firstRepeat), wait: firstRepeat}
	}
	if err := e.insert(ctx, all, 1); err != nil {
		return err
	}
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for len(e.open) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		if err := e.poll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a sweep with its jobs and results. What it cannot delete is deleted as abandoned later.
func (q *Queue) remove(ctx context.Context, id int64) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	_, _ = q.pool.Exec(ctx, "DELETE FROM bestpick_sweeps.sweep WHERE id = $1", id)
	_, _ = q.pool.Exec(ctx, "DELETE FROM bestpick_sweeps.river_job WHERE kind = 'run' AND (args->>'sweep')::bigint = $1", id)
}

// An execution is a sweep that is being executed.
type execution struct {
	Work

	q       *Queue
	id      int64
	client  *river.Client[pgx.Tx]
	open    map[int]repeat // the runs without a result
	started time.Time
	told    bool // that no worker takes a run
}

// A repeat says when an unfinished run is queued again.
type repeat struct {
	due  time.Time
	wait time.Duration
}

func (e *execution) insert(ctx context.Context, runs []int, priority int) error {
	for len(runs) > 0 {
		batch := runs[:min(insertBatch, len(runs))]
		runs = runs[len(batch):]
		var jobs []river.InsertManyParams
		for _, i := range batch {
			jobs = append(jobs, river.InsertManyParams{
				Args:       task{e.id, i, e.Runs[i]},
				InsertOpts: &river.InsertOpts{Queue: e.q.name, Priority: priority},
			})
		}
		if _, err := e.client.InsertManyFast(ctx, jobs); err != nil {
			return err
		}
	}
	return nil
}

// poll takes new results and queues runs again.
func (e *execution) poll(ctx context.Context) error {
	if err := e.takeResults(ctx); err != nil || len(e.open) == 0 {
		return err
	}
	var waiting, running bool
	err := e.q.pool.QueryRow(ctx, `SELECT
		EXISTS (SELECT FROM bestpick_sweeps.river_job WHERE state = 'available' AND queue = $1),
		EXISTS (SELECT FROM bestpick_sweeps.river_job WHERE state = 'running' AND queue = $1)`, e.q.name).Scan(&waiting, &running)
	if err != nil {
		return err
	}
	if waiting && !running && !e.told && e.Idle != nil && time.Since(e.started) > firstRepeat {
		e.told = true
		e.Idle()
	}
	if waiting {
		return nil
	}
	return e.repeat(ctx, time.Now())
}

// takeResults passes new results to Done, and deletes them.
func (e *execution) takeResults(ctx context.Context) error {
	rows, err := e.q.pool.Query(ctx, `WITH alive AS (UPDATE bestpick_sweeps.sweep SET seen = now() WHERE id = $1)
		DELETE FROM bestpick_sweeps.result WHERE sweep = $1 RETURNING run, result, failure`, e.id)
	if err != nil {
		return err
	}
	var run int
	var result, failure string
	_, err = pgx.ForEachRow(rows, []any{&run, &result, &failure}, func() error {
		if _, unknown := e.open[run]; !unknown {
			return nil
		}
		delete(e.open, run)
		if failure != "" {
			return fmt.Errorf("a worker could not execute a run: %s", failure)
		}
		return e.Done(run, json.RawMessage(result))
	})
	return err
}

// repeat queues the unfinished runs again that are due.
func (e *execution) repeat(ctx context.Context, now time.Time) error {
	var due []int
	for run, r := range e.open {
		if now.After(r.due) {
			due = append(due, run)
			e.open[run] = repeat{due: now.Add(2 * r.wait), wait: 2 * r.wait}
		}
	}
	return e.insert(ctx, due, repeatsLast)
}
