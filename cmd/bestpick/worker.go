package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"bestpick/internal/store"
	"bestpick/internal/sweep/queue"
)

// workerCommand executes runs that other commands queued.
type workerCommand struct {
	Database string `required:"" env:"BESTPICK_DATABASE" help:"The PostgreSQL database of the queue." placeholder:"URL"`
	Workers  int    `default:"0" min:"0" help:"Runs at a time; 0 for all cores."`
}

// Help is the long help of the command.
func (c *workerCommand) Help() string {
	return `Start as many as you like, on any machine that reaches the database:

    bestpick worker --database postgres://queue.example/bestpick

They execute the runs of commands such as

    bestpick simulate --instance sphere --runs 2000 --queue postgres://queue.example/bestpick

until Ctrl-C. If a worker is killed, another one repeats its runs. Workers execute the runs of their own version only.`
}

// Run executes runs until the program is interrupted.
func (c *workerCommand) Run(s streams) error {
	if !store.IsPostgres(c.Database) {
		return inputError{errors.New("--database must be the address of a PostgreSQL database, such as postgres://localhost/bestpick")}
	}
	parallel := c.Workers
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	q, err := queue.Open(ctx, c.Database, release)
	if err != nil {
		return err
	}
	defer q.Close()
	if _, err := fmt.Fprintf(s.out, "executing up to %s at a time\n", countRuns(parallel)); err != nil {
		return err
	}
	executors := &executors{streams: s, known: map[[sha256.Size]byte]func() (runExecutor, error){}}
	return q.Work(ctx, parallel, executors.execute, slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
}

// executors keeps the executors of the latest sweeps, so that their files are read once.
type executors struct {
	streams streams

	mutex sync.Mutex
	known map[[sha256.Size]byte]func() (runExecutor, error)
}

// maxExecutors is the number of sweeps to keep in memory.
const maxExecutors = 4

func (e *executors) execute(ctx context.Context, spec []byte, run json.RawMessage) (json.RawMessage, error) {
	execute, err := e.of(spec)()
	if err != nil {
		return nil, err
	}
	return execute(ctx, run)
}

// of returns a function that prepares a sweep once.
func (e *executors) of(spec []byte) func() (runExecutor, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	key := sha256.Sum256(spec)
	if e.known[key] == nil {
		if len(e.known) == maxExecutors {
			clear(e.known)
		}
		e.known[key] = sync.OnceValues(func() (runExecutor, error) {
			var s queuedSweep
			if err := json.Unmarshal(spec, &s); err != nil { //nolint:musttag // the names of the flags will do
				return nil, err
			}
			return s.executor(e.streams)
		})
	}
	return e.known[key]
}
