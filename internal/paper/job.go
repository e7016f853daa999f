package paper

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
)

// A Job is one run of a cell. Its result depends on the seed only.
type Job struct {
	Cell Cell
	Run  int
}

// Do runs jobs on a number of workers (0 for the number of cores), and passes the record of each to
// done, one at a time. The longest jobs run first, so that no core is idle at the end. It stops at
// the first error, or when ctx is done, which is no error.
func Do(ctx context.Context, jobs []Job, seed uint64, workers int, done func(Job, Record) error) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	jobs = slices.Clone(jobs)
	slices.SortStableFunc(jobs, func(a, b Job) int { return cmp.Compare(b.Cell.Cost(), a.Cell.Cost()) })
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	var report sync.Mutex
	for _, job := range jobs {
		group.Go(func() error {
			record, err := job.do(ctx, seed)
			report.Lock()
			defer report.Unlock()
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			return done(job, record)
		})
	}
	return group.Wait()
}

// do carries out the job.
func (j Job) do(ctx context.Context, seed uint64) (Record, error) {
	instance, err := simulate.Soare(j.Cell.D, omega, 0)
	if err != nil {
		return Record{}, err
	}
	noise := crowd.Noise(crowd.Gumbel)
	if j.Cell.Gaussian {
		noise = crowd.Gaussian(sigma)
	}
	e := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return j.Cell.newStrategy(instance.Catalogue, seed)
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent {
			return crowd.NewRandomUtility(instance.Catalogue, instance.Theta, noise, rng)
		},
		Seed: seed,
	}
	var right []byte
	if n := len(j.Cell.Times); n > 0 {
		best, _ := instance.Best()
		e.MaxQuestions = j.Cell.Times[n-1]
		e.Each = func(_, question int, s strategy.Strategy) {
			if len(right) < n && j.Cell.Times[len(right)] == question {
				right = append(right, mark(j.Cell.leader(s, instance.Catalogue) == best))
			}
		}
	}
	run, err := e.One(ctx, j.Run)
	if err != nil {
		return Record{}, err
	}
	for len(right) < len(j.Cell.Times) { // a run that stopped keeps its answer
		right = append(right, mark(run.Correct))
	}
	shown := make([]int, instance.Catalogue.Len())
	for arm, slots := range run.Shown {
		shown[arm] = slots
	}
	return Record{
		Cell: j.Cell.Key(), Run: run.Number, Questions: run.Questions,
		Stopped: run.Stopped, Correct: run.Correct, Shown: shown, Right: string(right),
	}, nil
}

// newStrategy returns the strategy of one run.
func (c Cell) newStrategy(arms *choice.Catalogue, seed uint64) (strategy.Strategy, error) {
	name, s := c.Strategy, baseline.Settings{
		K: c.K, Delta: delta, Kappa: kappa, Ridge: ridge, Mu: mu, Explore: explore, Alpha: c.Alpha, Seed: seed,
	}
	if name == glgapeKW {
		name, s.Radius = glgape, baseline.KazerouniWein
	}
	return baseline.New(name, arms, s)
}

func mark(right bool) byte {
	if right {
		return '1'
	}
	return '0'
}

// leader returns the best arm by θ̂ of the answers that count now: all, or those of the current batch,
// from which the adaptive strategy itself estimates only at its end.
func (c Cell) leader(s strategy.Strategy, arms *choice.Catalogue) int {
	verdict := s.Verdict()
	estimated, ok := s.(interface {
		Estimate() ([]float64, *choice.Tally)
	})
	if c.Strategy != adaptive || !ok || verdict.Status == strategy.Decided {
		return verdict.Leader
	}
	_, tally := estimated.Estimate()
	theta := make([]float64, arms.Dim())
	estimator := choice.Estimator{RidgeOnMean: ridge}
	if _, err := estimator.Fit(choice.NewLinear(arms, tally), theta); err != nil {
		return verdict.Leader // the batch has just begun
	}
	best := 0
	for arm := range arms.Len() {
		if arms.Utility(arm, theta) > arms.Utility(best, theta) {
			best = arm
		}
	}
	return best
}
