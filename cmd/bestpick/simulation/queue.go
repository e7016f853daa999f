package simulation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/paper"
	"bestpick/internal/store"
	"bestpick/internal/sweep"
	"bestpick/internal/terminal"
	"bestpick/simulate"
)

// A queuedSweep is what workers need to know about a sweep: the command, and the files that it names.
type queuedSweep struct {
	Simulate     *Command          `json:"simulate,omitempty"`
	Leaderboards int               `json:"leaderboards,omitempty"`
	Files        map[string][]byte `json:"files,omitempty"`

	Reproduce *reproductionHeader `json:"reproduce,omitempty"`
}

// A runExecutor executes one run and returns its result.
type runExecutor func(ctx context.Context, run json.RawMessage) (json.RawMessage, error)

// executor returns the executor of the sweep's runs.
func (q queuedSweep) executor(s command.Streams) (runExecutor, error) {
	switch {
	case q.Simulate != nil:
		return q.simulation(s)
	case q.Reproduce != nil:
		return func(ctx context.Context, run json.RawMessage) (json.RawMessage, error) {
			return reproduceRun(ctx, q.Reproduce.Seed, run)
		}, nil
	}
	return nil, errors.New("the sweep is of an unknown kind")
}

// simulation returns the executor of simulated runs. They are identified by their numbers.
func (q queuedSweep) simulation(s command.Streams) (runExecutor, error) {
	folder, err := os.MkdirTemp("", "bestpick-sweep-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // leftovers in the temporary folder are harmless
	c := *q.Simulate
	for i, name := range c.files() {
		if *name == "" {
			continue
		}
		path := filepath.Join(folder, strconv.Itoa(i)+filepath.Ext(*name))
		if err := os.WriteFile(path, q.Files[*name], 0o600); err != nil {
			return nil, err
		}
		*name = path
	}
	c.Quiet = true
	prepared, err := c.prepare(s)
	if err != nil {
		return nil, err
	}
	experiment := prepared.experiment
	experiment.Leaderboards = q.Leaderboards
	return func(ctx context.Context, run json.RawMessage) (json.RawMessage, error) {
		var number int
		if err := json.Unmarshal(run, &number); err != nil {
			return nil, err
		}
		done, err := experiment.Some(ctx, []int{number})
		if err != nil || len(done) == 0 {
			return nil, cmp.Or(err, ctx.Err())
		}
		return json.Marshal(newSavedRun(done[0])) //nolint:musttag // the names of its fields will do
	}, nil
}

// reproduceRun executes a run of the paper's experiments.
func reproduceRun(ctx context.Context, seed uint64, run json.RawMessage) (result json.RawMessage, err error) {
	var job paper.Job
	if err := json.Unmarshal(run, &job); err != nil { //nolint:musttag // the names of its fields will do
		return nil, err
	}
	err = paper.Do(ctx, []paper.Job{job}, seed, 1, func(_ paper.Job, record paper.Record) (err error) {
		result, err = json.Marshal(record)
		return err
	})
	return result, err
}

// inQueue has workers execute runs of a sweep, and passes each with its result to done, one at a time. It ends without an
// error when ctx is done.
func inQueue[R, T any](ctx context.Context, url string, s queuedSweep, runs []R, errOut io.Writer, done func(R, T) error) error {
	if !store.IsPostgres(url) {
		return command.Invalid(errors.New("--queue must be the address of a PostgreSQL database, such as " +
			"postgres://localhost/bestpick"))
	}
	work := sweep.Work{
		Idle: func() {
			_, _ = fmt.Fprintln(errOut, "bestpick: no worker takes the runs; start some with: bestpick worker --database URL")
		},
		Done: func(run int, result json.RawMessage) error {
			var t T
			if err := json.Unmarshal(result, &t); err != nil {
				return err
			}
			return done(runs[run], t)
		},
	}
	var err error
	if work.Spec, err = json.Marshal(s); err != nil { //nolint:musttag // the names of the flags will do
		return err
	}
	for _, run := range runs {
		text, err := json.Marshal(run)
		if err != nil {
			return err
		}
		work.Runs = append(work.Runs, text)
	}
	q, err := sweep.OpenQueue(ctx, url, command.Release)
	if err != nil {
		return fmt.Errorf("--queue: %w", err)
	}
	defer q.Close()
	if err := q.Execute(ctx, work); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// queued has workers execute the runs with some numbers, and returns them in the order of their numbers.
func (c *Command) queued(ctx context.Context, experiment simulate.Experiment, numbers []int,
	errOut io.Writer,
) ([]simulate.Run, error) {
	files, err := c.contents()
	if err != nil {
		return nil, err
	}
	var runs []simulate.Run
	s := queuedSweep{Simulate: c, Leaderboards: experiment.Leaderboards, Files: files}
	err = inQueue(ctx, c.Queue, s, numbers, errOut, func(_ int, saved savedRun) error {
		runs = append(runs, saved.run())
		experiment.Done(saved.run())
		return nil
	})
	slices.SortFunc(runs, func(a, b simulate.Run) int { return cmp.Compare(a.Number, b.Number) })
	return runs, err
}

// WorkerCommand executes runs that other commands queued.
type WorkerCommand struct {
	Database string `required:"" env:"BESTPICK_DATABASE" help:"The PostgreSQL database of the queue." placeholder:"URL"`
	Workers  int    `default:"0" min:"0" help:"Runs at a time; 0 for all cores."`
}

// Help is the long help of the command.
func (c *WorkerCommand) Help() string {
	return `Start as many as you like, on any machine that reaches the database:

    bestpick worker --database postgres://queue.example/bestpick

They execute the runs of commands such as

    bestpick simulate --instance sphere --runs 2000 --queue postgres://queue.example/bestpick

until Ctrl-C. If a worker is killed, another one repeats its runs. Workers execute the runs of their own version only.`
}

// Run executes runs until the program is interrupted.
func (c *WorkerCommand) Run(s command.Streams) error {
	if !store.IsPostgres(c.Database) {
		return command.Invalid(errors.New("--database must be the address of a PostgreSQL database, such as " +
			"postgres://localhost/bestpick"))
	}
	parallel := c.Workers
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	ctx, stop := command.Context()
	defer stop()
	q, err := sweep.OpenQueue(ctx, c.Database, command.Release)
	if err != nil {
		return err
	}
	defer q.Close()
	if _, err := fmt.Fprintf(s.Out, "executing up to %s at a time\n", terminal.Count(parallel, "run")); err != nil {
		return err
	}
	executors := &executors{streams: s, known: map[[sha256.Size]byte]func() (runExecutor, error){}}
	return q.Work(ctx, parallel, executors.execute,
		slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelWarn})))
}

// executors keeps the executors of the latest sweeps, so that their files are read once.
type executors struct {
	streams command.Streams

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

// A reproductionHeader identifies a reproduction.
type reproductionHeader struct {
	Version string `json:"bestpick"`
	Seed    uint64 `json:"seed"`
}

// A savedRun is a run as JSON, which has no NaN.
type savedRun struct {
	simulate.Run

	CertifiedEpsilon *float64
}

func newSavedRun(run simulate.Run) savedRun {
	saved := savedRun{Run: run}
	if !math.IsNaN(run.CertifiedEpsilon) {
		saved.CertifiedEpsilon = &run.CertifiedEpsilon
	}
	return saved
}

func (r savedRun) run() simulate.Run {
	run := r.Run
	run.CertifiedEpsilon = math.NaN()
	if r.CertifiedEpsilon != nil {
		run.CertifiedEpsilon = *r.CertifiedEpsilon
	}
	return run
}

// contents returns the files by name.
func (c *Command) contents() (map[string][]byte, error) {
	contents := map[string][]byte{}
	for _, name := range c.files() {
		if *name == "" {
			continue
		}
		content, err := os.ReadFile(*name)
		if err != nil {
			return nil, err
		}
		contents[*name] = content
	}
	return contents, nil
}
