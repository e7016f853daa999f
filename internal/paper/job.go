package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
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

// The strategies, by the names that package baseline has for them, and GLGapE with the radius of
// Kazerouni and Wein.
const (
	random   = "random"
	static   = "static"
	adaptive = "adaptive"
	glgape   = "glgape"
	glgapeKW = "glgape-kw"
)

// The settings that all experiments of the paper share.
const (
	omega        = 0.01
	sigma        = 1
	delta        = 0.05
	kappa        = 0.5
	ridge        = 1e-4
	mu           = 1e-4
	explore      = 5
	alphaOfSoare = 0.1   // with the batch rule as it is written
	alphaToMeet  = 0.085 // meets Table 1 of the paper, which does not state its own
)

// A Cell is a strategy at one setting of the paper's instance: a point of a figure or a
// line of a table.
type Cell struct {
	Strategy string
	D        int     // dimension; there are d+1 arms
	K        int     // arms in a question
	Gaussian bool    // picks by Gaussian utilities instead of softmax
	Alpha    float64 // of the adaptive strategy; 0 for the others

	// Times are the numbers of questions after which the best arm by the estimate is compared
	// with the true one. The run ends with the last. Defaults to none.
	Times []int
}

// Key identifies the cell, so that exhibits with the same cell share its runs.
func (c Cell) Key() string {
	key := fmt.Sprintf("%s d=%d K=%d", c.Strategy, c.D, c.K)
	if c.Gaussian {
		key += " gaussian"
	}
	if c.Alpha != 0 {
		key += fmt.Sprintf(" α=%g", c.Alpha)
	}
	if n := len(c.Times); n > 0 {
		key += fmt.Sprintf(" %d looks to t=%d", n, c.Times[n-1])
	}
	return key
}

// Cost estimates the number of questions of a run, for progress bars.
func (c Cell) Cost() float64 {
	if n := len(c.Times); n > 0 {
		return float64(c.Times[n-1])
	}
	d, k := float64(c.D), float64(c.K)
	questions := 16_700 * math.Pow(d/3, 3.4) * 3 / k
	if c.Gaussian {
		questions *= 0.6
	}
	if c.Strategy == adaptive {
		questions = min(questions, 2000*d) // each of its questions takes a third of the time
	}
	return questions
}

// A Record is the stored result of a run.
type Record struct {
	Cell      string `json:"cell"` // its key
	Run       int    `json:"run"`
	Questions int    `json:"questions"`
	Stopped   bool   `json:"stopped"`
	Correct   bool   `json:"correct"`
	Shown     []int  `json:"shown"` // slots that each arm was shown in

	// Right has a 1 for every look at which the best arm by the estimate was the true
	// one, and a 0 for every other.
	Right string `json:"right,omitempty"`
}

// Valid reports whether a record is plausible for a run of an exhibit.
func (r Record) Valid() bool {
	for _, e := range Exhibits() {
		for _, c := range e.Cells {
			if c.Key() == r.Cell {
				slots := 0
				for _, shown := range r.Shown {
					slots += shown
				}
				return r.Run >= 0 && slots > 0 && len(r.Shown) == c.D+1 && len(r.Right) == len(c.Times)
			}
		}
	}
	return false
}
