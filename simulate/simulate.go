// Package simulate runs a strategy against a simulated crowd, many times over and on
// all cores, with results that depend on the seed alone.
package simulate

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/strategy"
)

// An Experiment is a strategy, a crowd and how often they meet.
type Experiment struct {
	Instance Instance

	// Strategy makes the strategy of one run.
	Strategy func(seed uint64) (strategy.Strategy, error)

	// Crowd makes the respondents of one run.
	Crowd func(rng *rand.Rand) crowd.Respondent

	// Picks is how many of the arms shown are ranked. Default 1.
	Picks int

	// Epsilon is how much worse than the best an arm may be and still be called
	// correct, by the preferences when the run ended. Default 0.
	Epsilon float64

	// Runs is how often. Default 1.
	Runs int

	// Skip, if set, says which runs to leave out, such as those already done. A run
	// depends on its number and the seed alone, not on which others there are.
	Skip func(r int) bool

	// Seed makes everything repeatable. Default 0.
	Seed uint64

	// MaxQuestions ends a run that has asked so many. Default none.
	MaxQuestions int

	// Workers is how many runs go on at once. Default as many as there are cores.
	Workers int

	// Each, if set, is called after every question of run r, with the strategy as it
	// stands. Calls of different runs may come at the same time.
	Each func(r, question int, s strategy.Strategy)

	// Done, if set, is called after every run, one call at a time, in any order.
	Done func(Run)
}

// A Run is what came of one meeting.
type Run struct {
	Number    int
	Questions int
	Stopped   bool // by the strategy's own rule
	Certified bool // and with a certificate
	Leader    int
	Correct   bool
	Shown     map[int]int // how many slots each arm was shown in, those that were

	// Model says whether the answers fitted the model, where the strategy tells.
	Model checks.Finding

	// Theta is the last estimate, and Tally the answers that count at the end: all, or
	// those of the last batch. Either is nil where the strategy does not tell.
	Theta []float64
	Tally *choice.Tally
}

// Run carries the experiment out. When ctx ends it stops early and returns the runs
// that are complete. Runs are in order of their numbers.
func (e Experiment) Run(ctx context.Context) ([]Run, error) {
	e.Runs, e.Picks = max(e.Runs, 1), max(e.Picks, 1)
	workers := e.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, e.Runs)
	var (
		next    = make(chan int)
		results = make([]*Run, e.Runs)
		errs    = make([]error, e.Runs)
		report  sync.Mutex
		group   sync.WaitGroup
	)
	for range workers {
		group.Go(func() {
			for r := range next {
				results[r], errs[r] = e.one(ctx, r)
				if errs[r] == nil && e.Done != nil {
					report.Lock()
					e.Done(*results[r])
					report.Unlock()
				}
			}
		})
	}
	for r := 0; r < e.Runs && ctx.Err() == nil; r++ {
		if e.Skip != nil && e.Skip(r) {
			continue
		}
		select {
		case next <- r:
		case <-ctx.Done():
		}
	}
	close(next)
	group.Wait()
	return complete(ctx, results, errs)
}

// complete returns the runs that are there, and the first error that is not ctx's.
func complete(ctx context.Context, results []*Run, errs []error) (runs []Run, err error) {
	for r, run := range results {
		if run != nil {
			runs = append(runs, *run)
		}
		if err == nil && errs[r] != nil && !errors.Is(errs[r], ctx.Err()) {
			err = errs[r]
		}
	}
	return runs, err
}

// one carries out run r. It returns the error of ctx where that ended first.
func (e Experiment) one(ctx context.Context, r int) (*Run, error) {
	seeds := rand.New(rand.NewPCG(e.Seed, streamOfStrategies+uint64(r)))
	s, err := e.Strategy(seeds.Uint64())
	if err != nil {
		return nil, err
	}
	respondent := e.Crowd(rand.New(rand.NewPCG(e.Seed, streamOfRespondents+uint64(r))))
	run := &Run{Number: r, Shown: map[int]int{}}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.MaxQuestions > 0 && run.Questions >= e.MaxQuestions {
			break
		}
		q, err := s.Ask()
		if errors.Is(err, strategy.ErrStopped) {
			break
		}
		if err != nil {
			return nil, err
		}
		run.Questions++
		for _, arm := range q {
			run.Shown[arm]++
		}
		if err := s.Tell(crowd.Answer(respondent, q, e.Picks)); err != nil {
			return nil, err
		}
		if e.Each != nil {
			e.Each(r, run.Questions, s)
		}
	}
	verdict := s.Verdict()
	run.Leader, run.Stopped, run.Certified = verdict.Leader, verdict.Status != strategy.Asking, verdict.Status == strategy.Certified
	run.Model = verdict.Model
	run.Correct = e.Instance.after(run.Questions).IsBest(run.Leader, e.Epsilon)
	if estimated, ok := s.(interface{ Theta() []float64 }); ok {
		run.Theta = estimated.Theta()
	}
	if estimated, ok := s.(interface {
		Estimate() ([]float64, *choice.Tally)
	}); ok {
		run.Theta, run.Tally = estimated.Estimate()
	}
	return run, nil
}

// Assumptions computes, for a run that kept its tally, what the paper's bound takes
// for granted. It reports false where there is nothing to compute from.
func (e Experiment) Assumptions(run Run, bound evidence.PaperBound) (evidence.Assumptions, bool) {
	if run.Tally == nil || run.Tally.Picks() == 0 {
		return evidence.Assumptions{}, false
	}
	return evidence.CheckAssumptions(bound, e.Instance.Catalogue, run.Tally, run.Theta, e.Instance.Theta), true
}
