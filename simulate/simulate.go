// Package simulate runs a strategy against a simulated crowd, many times and on all cores. The results depend on the seed only.
//
//	instance, err := simulate.Sphere(20, 5, 2, 1)
//	…
//	experiment := simulate.Experiment{
//		Instance: instance,
//		Strategy: func(seed uint64) (strategy.Strategy, error) {
//			return racing.New(instance.Catalogue, racing.Settings{Seed: seed})
//		},
//		Crowd: func(rng *rand.Rand) crowd.Respondent {
//			return crowd.NewMNL(instance.Catalogue, instance.Theta, rng)
//		},
//		Runs: 100,
//	}
//	runs, err := experiment.Run(ctx)
//	summary := simulate.Summarise(runs) // questions, correct and certified runs
//
// An [Instance] is a catalogue with the true preferences, such as [Soare]'s or a random [Sphere]. A
// [Violation] is a crowd that violates the model in one of the ways that package checks tests for.
package simulate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/strategy"
)

// An Experiment runs a strategy against a crowd.
type Experiment struct {
	Instance Instance

	// Strategy makes the strategy of one run.
	Strategy func(seed uint64) (strategy.Strategy, error)

	// Crowd makes the respondents of one run.
	Crowd func(rng *rand.Rand) crowd.Respondent

	// Picks is the number of arms ranked in an answer. Defaults to 1.
	Picks int

	// Epsilon is the largest shortfall in utility of a correct arm, by the preferences at the end of the run. Defaults to 0.
	Epsilon float64

	// Runs is the number of runs. Defaults to 1.
	Runs int

	// Seed makes the experiment repeatable. Defaults to 0.
	Seed uint64

	// MaxQuestions ends a run after a number of questions. Defaults to no limit.
	MaxQuestions int

	// Arrivals is how many people arrive for the time that one of them usually takes for an answer. Defaults
	// to one person after the other.
	Arrivals float64

	// Leaderboards is the number of runs, the last ones, whose final leaderboard is computed. Defaults to none.
	Leaderboards int

	// Workers is the number of concurrent runs. Defaults to the number of cores.
	Workers int

	// Each, if set, is called after every question of run r with its strategy. Calls of different runs are concurrent.
	Each func(r, question int, s strategy.Strategy)

	// Done, if set, is called after every run, one call at a time, in any order.
	Done func(Run)
}

// A Run is the result of one run.
type Run struct {
	Number    int
	Questions int
	People    int  // respondents who began to answer
	Stopped   bool // by the strategy's stopping rule
	Certified bool // stopped, with a certificate
	Cyclic    bool // stopped, because it is certified that there is no favourite
	Leader    int
	Top       []int       // see [strategy.Verdict]
	Correct   bool        // no arm has a utility larger by more than ε, or than one ranked above it
	Majority  bool        // no arm is chosen over the leader by more than half of the people, within ε
	Shown     map[int]int // how many slots showed each arm; shown arms only

	// Model describes whether the answers fit the model, if the strategy checks that. Assumption is what
	// the certificate rests on.
	Model      checks.Finding
	Assumption strategy.Assumption

	// Segments has the verdicts about segments, and SegmentsDiffer whether it is certified that they have
	// no favourite in common. Favourite reports whether the people have one, within ε.
	Segments       []strategy.SegmentVerdict
	SegmentsDiffer bool
	Favourite      bool

	// Doubts are about the assumptions of majority evidence.
	Doubts []strategy.Doubt

	// Proven is what majority evidence shows at the end, and ProvenHolds whether that is true.
	Proven      strategy.Proven
	ProvenHolds bool

	// Outside has the arms that are certified to be better or worse than none of them, where that is
	// offered, and OutsideWrong counts those of them that are not.
	Outside      strategy.Outside
	OutsideWrong int

	// Theta is the last estimate, and Tally the answers that count at the end: all, or those of the
	// last batch. Each is nil if the strategy does not provide it.
	Theta []float64
	Tally *choice.Tally

	// CertifiedEpsilon is the smallest ε for which the leader is certified at the end, NaN if the strategy
	// states none. Holds reports whether no arm is better by more than that.
	CertifiedEpsilon float64
	Holds            bool

	// Leaderboard is nil if it is not computed, or the strategy does not rank arms. Covered reports whether all its intervals and
	// ranges of ranks hold.
	Leaderboard []strategy.Rank
	Covered     bool
}

// Run executes the experiment and returns the runs in the order of their numbers. When ctx is done
// it stops early and returns the complete runs.
func (e Experiment) Run(ctx context.Context) ([]Run, error) {
	return e.Some(ctx, choice.UpTo(max(e.Runs, 1)))
}

// Some is Run for the runs with some numbers, in this order.
func (e Experiment) Some(ctx context.Context, numbers []int) ([]Run, error) {
	workers := e.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	results, errs := make([]*Run, len(numbers)), make([]error, len(numbers))
	slots := make(chan struct{}, workers)
	var report sync.Mutex
	var group sync.WaitGroup
	for i := 0; i < len(numbers) && ctx.Err() == nil; i++ {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			results[i], errs[i] = e.One(ctx, numbers[i])
			if errs[i] == nil && e.Done != nil {
				report.Lock()
				defer report.Unlock()
				e.Done(*results[i])
			}
		})
	}
	group.Wait()
	return complete(ctx, results, errs)
}

// complete returns the complete runs, and the first error other than that of ctx.
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

// One executes run r alone, which depends on its number and the seed only, not on other runs. It returns
// the error of ctx if that is done first.
func (e Experiment) One(ctx context.Context, r int) (*Run, error) {
	s, err := e.Strategy(StrategySeed(e.Seed, r))
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(e.Seed, streamOfRespondents+uint64(r)))
	run := &Run{Number: r, Shown: map[int]int{}}
	v := visits{
		experiment: e, strategy: s, respondents: e.Crowd(rng), run: run, clock: rand.New(rand.NewPCG(e.Seed, streamOfTimes+uint64(r))),
	}
	if err := v.all(ctx); err != nil {
		return nil, err
	}
	e.conclude(run, s)
	return run, nil
}

// conclude adds the result of a strategy to its run.
func (e Experiment) conclude(run *Run, s strategy.Strategy) {
	verdict := s.Verdict()
	run.Leader, run.Stopped, run.Certified = verdict.Leader, verdict.Status != strategy.Asking, verdict.Status == strategy.Certified
	run.Model, run.Assumption, run.Cyclic = verdict.Model, verdict.Assumption, verdict.Status == strategy.Cyclic
	run.Segments, run.SegmentsDiffer = verdict.Segments, verdict.SegmentsDiffer
	run.Favourite = e.Instance.HasFavourite(evidence.Points(e.Epsilon))
	run.Majority = e.Instance.IsMajorityBest(run.Leader, evidence.Points(e.Epsilon))
	run.Proven, run.Doubts = verdict.Proven, verdict.Doubts
	run.ProvenHolds = run.Proven.Share == 0 || e.Instance.IsMajorityBest(run.Proven.Arm, run.Proven.Share-0.5)
	if run.Top = verdict.Top; run.Top == nil {
		run.Correct = e.Instance.after(run.Questions).IsBest(run.Leader, e.Epsilon)
	} else {
		run.Correct = e.Instance.after(run.Questions).IsTop(run.Top, e.Epsilon)
		run.Majority = e.Instance.IsMajorityTop(run.Top, evidence.Points(e.Epsilon))
	}
	run.Outside, run.OutsideWrong = verdict.Outside, e.Instance.outsideWrong(verdict.Outside)
	if estimated, ok := s.(interface{ Theta() []float64 }); ok {
		run.Theta = estimated.Theta()
	}
	if estimated, ok := s.(interface {
		Estimate() ([]float64, *choice.Tally)
	}); ok {
		run.Theta, run.Tally = estimated.Estimate()
	}
	run.CertifiedEpsilon = math.NaN()
	if stated, ok := s.(interface{ CertifiedEpsilon() (float64, bool) }); ok {
		if epsilon, known := stated.CertifiedEpsilon(); known {
			run.CertifiedEpsilon, run.Holds = epsilon, e.Instance.after(run.Questions).IsBest(run.Leader, epsilon)
		}
	}
	if ranked, ok := s.(interface{ Leaderboard() []strategy.Rank }); ok && run.Number >= max(e.Runs, 1)-e.Leaderboards {
		run.Leaderboard = ranked.Leaderboard()
		run.Covered = e.Instance.after(run.Questions).Covers(run.Leaderboard, run.Leader, run.Assumption)
	}
}

// StrategySeed returns the seed that the strategy of run r has in an experiment with a seed.
func StrategySeed(seed uint64, r int) uint64 {
	return rand.New(rand.NewPCG(seed, streamOfStrategies+uint64(r))).Uint64()
}

// Assumptions checks the assumptions of the paper's bound for a run. It reports false if the run has no tally.
func (e Experiment) Assumptions(run Run, bound evidence.PaperBound) (evidence.Assumptions, bool) {
	if run.Tally == nil || run.Tally.Picks() == 0 {
		return evidence.Assumptions{}, false
	}
	return evidence.CheckAssumptions(bound, e.Instance.Catalogue, run.Tally, run.Theta, e.Instance.Theta), true
}
