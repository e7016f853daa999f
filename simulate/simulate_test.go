package simulate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/racing"
)

// experiment is an easy one that stops after some hundred questions.
func experiment(t testing.TB, name string) simulate.Experiment {
	t.Helper()
	instance := must(simulate.Sphere(6, 3, 3, 1))
	return simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			if name == "racing" {
				return racing.New(instance.Catalogue, racing.Settings{Seed: seed})
			}
			return baseline.New(name, instance.Catalogue, baseline.Settings{Kappa: 3, Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(instance.Catalogue, instance.Theta, rng) },
		Runs:  12, Seed: 5, MaxQuestions: 5000,
	}
}

// TestWorkersDoNotMatter: the same runs to the last number, however many at once.
func TestWorkersDoNotMatter(t *testing.T) {
	for _, name := range []string{"random", "static", "adaptive"} {
		var want string
		for _, workers := range []int{1, 2, 5} {
			e := experiment(t, name)
			e.Workers = workers
			done := 0
			e.Done = func(simulate.Run) { done++ }
			runs, err := e.Run(t.Context())
			if err != nil || len(runs) != 12 || done != 12 {
				t.Fatalf("%d runs, %d reported: %v", len(runs), done, err)
			}
			var text strings.Builder
			for _, run := range runs {
				tally := must(json.Marshal(run.Tally))
				run.Tally = nil
				fmt.Fprintf(&text, "%+v %s\n", run, tally)
			}
			if want == "" {
				want = text.String()
			}
			if text.String() != want {
				t.Errorf("%s with %d workers differs", name, workers)
			}
		}
	}
}

func TestSeedsMatter(t *testing.T) {
	a, b := experiment(t, "static"), experiment(t, "static")
	b.Seed++
	runsA, errA := a.Run(t.Context())
	runsB, errB := b.Run(t.Context())
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	same := 0
	for r := range runsA {
		if runsA[r].Questions == runsB[r].Questions {
			same++
		}
	}
	if same > 6 {
		t.Errorf("%d of 12 runs are the same under another seed", same)
	}
}

func TestBudgetAndInterruption(t *testing.T) {
	e := experiment(t, "static")
	e.MaxQuestions = 5
	runs := must(e.Run(t.Context()))
	for _, run := range runs {
		if run.Questions != 5 || run.Stopped {
			t.Errorf("%+v", run)
		}
	}
	e = experiment(t, "static")
	ctx, cancel := context.WithCancel(t.Context())
	e.Workers = 1
	e.Done = func(run simulate.Run) {
		if run.Number == 2 {
			cancel()
		}
	}
	runs, err := e.Run(ctx)
	if err != nil || len(runs) < 3 || len(runs) > 4 {
		t.Errorf("%d runs after an interruption in the third: %v", len(runs), err)
	}
}

func TestStrategyErrorsAreReturned(t *testing.T) {
	e := experiment(t, "static")
	broken := errors.New("no strategy today")
	e.Strategy = func(uint64) (strategy.Strategy, error) { return nil, broken }
	if _, err := e.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestSoare(t *testing.T) {
	for _, c := range []struct {
		shift float64
		best  string
		gap   float64
	}{
		{0, "a1", 2 - 2*math.Cos(0.01)},
		// The last arm has 2.1·cos ω + 0.1·sin ω.
		{0.1, "a6", 2.1*math.Cos(0.01) + 0.1*math.Sin(0.01) - 2.1},
	} {
		instance := must(simulate.Soare(5, 0.01, c.shift))
		best, gap := instance.Best()
		if id := instance.Catalogue.ID(best); id != c.best {
			t.Errorf("shift %g: best arm %s", c.shift, id)
		}
		approx.Equal(t, "gap", gap, c.gap, 1e-15)
		if !instance.IsBest(best, 0) || instance.IsBest(1, 0) || !instance.IsBest(1, 3) {
			t.Error("IsBest is wrong")
		}
	}
	if _, err := simulate.Soare(1, 0.01, 0); err == nil {
		t.Error("one dimension was accepted")
	}
}

func TestSphere(t *testing.T) {
	instance := must(simulate.Sphere(30, 4, 3, 7))
	norm := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x * x
		}
		return math.Sqrt(sum)
	}
	for i := range 30 {
		approx.Equal(t, "norm of an arm", norm(instance.Catalogue.Arm(i)), 1, 1e-14)
	}
	approx.Equal(t, "norm of θ", norm(instance.Theta), 3, 1e-14)
	other, err := simulate.Sphere(30, 4, 3, 8)
	if err != nil || other.Theta[0] == instance.Theta[0] {
		t.Error("another seed gave the same instance")
	}
}

func TestSummarise(t *testing.T) {
	s := simulate.Summarise([]simulate.Run{
		{Questions: 10, Stopped: true, Correct: true, Shown: map[int]int{0: 3, 1: 1}},
		{Questions: 14, Stopped: true, Shown: map[int]int{0: 4}},
		{Questions: 18, Shown: map[int]int{1: 2}},
	})
	if s.Runs != 3 || s.Stopped != 2 || s.Correct != 1 {
		t.Errorf("%+v", s)
	}
	approx.EqualSlices(t, "questions", []float64{s.Questions.Mean, s.Questions.SD, s.Questions.SE, s.Questions.Min, s.Questions.Max},
		[]float64{14, 4, 4 / math.Sqrt(3), 10, 18}, 1e-14)
	approx.EqualSlices(t, "share", []float64{s.Share[0], s.Share[1]}, []float64{0.7, 0.3}, 1e-15)
	if empty := simulate.Summarise(nil); empty.Runs != 0 {
		t.Errorf("%+v", empty)
	}
}

// TestCovers: every interval and every range of ranks must hold.
func TestCovers(t *testing.T) {
	in := simulate.Instance{Utilities: []float64{1, 0.5, 0.5, -1}}
	all := func() []strategy.Rank {
		return []strategy.Rank{
			{Arm: 0, First: 1, Last: 1},
			{Arm: 1, Low: -0.6, High: -0.5, First: 2, Last: 3},
			{Arm: 2, Low: -0.5, High: 0, First: 1, Last: 2},
			{Arm: 3, Low: -50, High: 50, First: 4, Last: 4},
		}
	}
	if !in.Covers(all(), 0, strategy.Linear) {
		t.Error("true statements do not hold")
	}
	for name, change := range map[string]func(r []strategy.Rank){
		"low":   func(r []strategy.Rank) { r[1].Low = -0.49 },
		"high":  func(r []strategy.Rank) { r[2].High = -0.51 },
		"first": func(r []strategy.Rank) { r[2].First = 3 },
		"last":  func(r []strategy.Rank) { r[3].Last = 3 },
	} {
		if ranks := all(); true {
			change(ranks)
			if in.Covers(ranks, 0, strategy.Linear) {
				t.Errorf("%s: a false statement holds", name)
			}
		}
	}
}

// TestIsTop: the order matters in a ranking of all arms only.
func TestIsTop(t *testing.T) {
	c := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{1}, {0.9}, {0}}))
	in := simulate.Instance{Catalogue: c, Theta: []float64{1}}
	for _, test := range []struct {
		top     []int
		epsilon float64
		want    bool
	}{
		{[]int{0}, 0, true},
		{[]int{1}, 0, false},
		{[]int{1}, 0.1, true},
		{[]int{1, 0}, 0, true},
		{[]int{0, 2}, 0.5, false},
		{[]int{0, 2}, 0.9, true},
		{[]int{0, 1, 2}, 0, true},
		{[]int{1, 0, 2}, 0, false},
		{[]int{1, 0, 2}, 0.1, true},
		{[]int{0, 2, 1}, 0.1, false},
	} {
		if got := in.IsTop(test.top, test.epsilon); got != test.want {
			t.Errorf("%v within %v: %v", test.top, test.epsilon, got)
		}
	}
}

// twelveNames are twelve arms without features, the best of which is better than the next by 1.5 or
// more.
func twelveNames(t *testing.T) simulate.Instance {
	t.Helper()
	var ids []string
	theta := make([]float64, 11)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 12 {
		ids = append(ids, fmt.Sprint("model ", i))
	}
	for i := range theta {
		theta[i] = rng.Float64() - rng.Float64()
	}
	theta[6] = 2.5
	names := must(choice.NewNames(ids))
	return simulate.Instance{Catalogue: names, Theta: theta}
}

// namesOnly returns how many of some studies of twelve arms without features, in pairs, certify the
// best.
func namesOnly(t *testing.T, runs int) (right int) {
	t.Helper()
	instance := twelveNames(t)
	e := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(instance.Catalogue, racing.Settings{K: 2, Delta: 0.05, Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(instance.Catalogue, instance.Theta, rng) },
		Runs:  runs, Seed: 1,
	}
	all := must(e.Run(t.Context()))
	for _, run := range all {
		if run.Certified && run.Correct && instance.Catalogue.ID(run.Leader) == "model 7" {
			right++
		}
	}
	return right
}

// TestNamesOnly: arms without features are certified, too. TestLongNamesOnly has enough runs to tell
// how often that is wrong.
func TestNamesOnly(t *testing.T) {
	if right := namesOnly(t, 3); right < 2 {
		t.Errorf("%d of 3 studies certify the best", right)
	}
}

// productInstance has attributes with effects-coded levels, whose utilities are a random
// permutation of equal steps.
func productInstance(tb testing.TB, attributes, levels int, step float64, seed uint64) simulate.Instance {
	tb.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	var groups []choice.Group
	var theta []float64
	for a := range attributes {
		var g choice.Group
		for level := range levels {
			g.Options = append(g.Options, fmt.Sprintf("a%d=%d", a+1, level+1))
			row := make([]float64, levels-1)
			for k := range row {
				if k == level {
					row[k] = 1
				}
				if level == levels-1 {
					row[k] = -1
				}
			}
			g.Rows = append(g.Rows, row)
		}
		for k, place := range rng.Perm(levels)[:levels-1] {
			g.Features = append(g.Features, g.Options[k])
			theta = append(theta, step*(float64(place)-float64(levels-1)/2))
		}
		groups = append(groups, g)
	}
	c := must(choice.NewProduct(groups))
	return simulate.Instance{Catalogue: c, Theta: theta}
}

// runProduct runs the certified strategy at δ = 0.05 with questions of four profiles.
func runProduct(tb testing.TB, in simulate.Instance, runs int) []simulate.Run {
	tb.Helper()
	done, err := simulate.Experiment{
		Instance: in, Runs: runs, Seed: 1,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(in.Catalogue, racing.Settings{K: 4, Seed: seed})
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(in.Catalogue, in.Theta, rng) },
	}.Run(context.Background())
	if err != nil {
		tb.Fatal(err)
	}
	return done
}

// Small products are decided right by simulation as by enumeration: the best profile is the
// best of all profiles.
func TestProductStudy(t *testing.T) {
	in := productInstance(t, 5, 4, 1, 1)
	best, gap := in.Best()
	for arm := range in.Catalogue.Len() {
		if in.Catalogue.Utility(arm, in.Theta) > in.Catalogue.Utility(best, in.Theta)+1e-9 {
			t.Fatalf("%s is better than %s", in.Catalogue.ID(arm), in.Catalogue.ID(best))
		}
	}
	approx.Equal(t, "gap", gap, 1, 1e-9)
	for _, run := range runProduct(t, in, 3) {
		if !run.Certified || !run.Correct || run.Leader != best {
			t.Errorf("run %d: certified %v, correct %v after %d questions", run.Number, run.Certified, run.Correct, run.Questions)
		}
	}
}

// A shownForecast is the forecast that is shown after a look, at a number of answers.
type shownForecast struct {
	strategy.Forecast

	answered int
}

// total returns the answers that the whole study takes for a number of further answers.
func (s shownForecast) total(more float64) float64 { return float64(s.answered) + more }

// shownForecasts runs studies and returns what is shown at each of their looks, by run.
func shownForecasts(
	t *testing.T, in simulate.Instance, settings racing.Settings, runs int, seed uint64,
) ([]simulate.Run, [][]shownForecast) {
	t.Helper()
	var mutex sync.Mutex
	looks, last := make([][]shownForecast, runs), make([]strategy.Forecast, runs)
	e := simulate.Experiment{
		Instance: in, Runs: runs, Seed: seed, MaxQuestions: 20_000, Epsilon: settings.Epsilon,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			own := settings
			own.Seed = seed
			return racing.New(in.Catalogue, own)
		},
		Crowd: func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(in.Catalogue, in.Theta, rng) },
		Each: func(r, _ int, s strategy.Strategy) {
			v := s.Verdict()
			mutex.Lock()
			defer mutex.Unlock()
			if v.Status == strategy.Asking && v.Forecast != last[r] {
				last[r] = v.Forecast
				looks[r] = append(looks[r], shownForecast{v.Forecast.Shown(v.Answered), v.Answered})
			}
		},
	}
	all := must(e.Run(t.Context()))
	return all, looks
}

// checkJumps checks that the total number of answers in the forecast changes by less than a factor of
// 2 between consecutive looks, by its lower end and its median, and by less than 4 by its upper end.
// It returns the number of looks with a forecast.
func checkJumps(t *testing.T, looks []shownForecast) (known int) {
	t.Helper()
	for i, now := range looks {
		if !now.Known {
			continue
		}
		if known++; i == 0 || !looks[i-1].Known {
			continue
		}
		before := looks[i-1]
		for _, end := range []struct {
			name        string
			now, before float64
			most        float64
		}{
			{"low", now.total(now.Low), before.total(before.Low), 2},
			{"median", now.total(now.Median), before.total(before.Median), 2},
			{"high", now.total(now.High), before.total(before.High), 4},
		} {
			if ratio := max(end.now/end.before, end.before/end.now); !(ratio < end.most) {
				t.Errorf("after %d answers: %s from %.0f to %.0f answers in all", now.answered, end.name, end.before, end.now)
			}
		}
	}
	return known
}

// TestShownForecastIsStable: a forecast that is shown does not jump, and there is one in every study.
func TestShownForecastIsStable(t *testing.T) {
	in := must(simulate.Sphere(8, 3, 2, 3))
	_, looks := shownForecasts(t, in, racing.Settings{}, 6, 5)
	for run := range looks {
		if checkJumps(t, looks[run]) == 0 {
			t.Errorf("run %d of %d looks never shows a forecast", run, len(looks[run]))
		}
	}
}

// An update is what is shown of a race after a look: the forecast of all answers, from low to high, and the progress.
type update struct {
	answered, low, high float64 // 0 without a forecast
	progress            float64
	early               bool
}

// updates runs studies under majority whose people answer ten questions each, and returns what is shown after every look.
func updates(t *testing.T, in simulate.Instance, k, runs int, seed uint64, of func(*rand.Rand) crowd.Respondent) ([]simulate.Run,
	[][]update,
) {
	t.Helper()
	var mutex sync.Mutex
	all, last := make([][]update, runs), make([]strategy.Verdict, runs)
	e := simulate.Experiment{
		Instance: in, Runs: runs, Seed: seed, MaxQuestions: 20_000, Epsilon: 0.2, Picks: k - 1, Crowd: of,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			return racing.New(in.Catalogue, racing.Settings{K: k, Epsilon: 0.2, Assume: strategy.Majority, Seed: seed})
		},
		Each: func(run, _ int, s strategy.Strategy) {
			v := s.Verdict()
			mutex.Lock()
			defer mutex.Unlock()
			if v.Status == strategy.Asking && v.Forecast == last[run].Forecast && v.Progress == last[run].Progress {
				return // there was no look
			}
			last[run] = v
			shown := update{answered: float64(v.Answered), progress: v.Progress, early: v.Early}
			if f := v.Forecast.Shown(v.Answered); f.Known && v.Status == strategy.Asking {
				shown.low, shown.high = shown.answered+f.Low, shown.answered+f.High
			}
			all[run] = append(all[run], shown)
		},
	}
	return must(e.Run(t.Context())), all
}

// checkProgress checks that progress moves with the first answers, never falls, and ends at 1.
func checkProgress(t *testing.T, run simulate.Run, looks []update) {
	t.Helper()
	before := 0.0
	for _, u := range looks {
		if !(u.progress >= before && u.progress <= 1) {
			t.Errorf("after %.0f answers progress goes from %v to %v", u.answered, before, u.progress)
		}
		before = u.progress
	}
	if !(looks[0].progress > 0) || looks[0].answered > 5 || !looks[0].early {
		t.Errorf("at first: %+v", looks[0])
	}
	if run.Stopped && before != 1 {
		t.Errorf("progress ends at %v", before)
	}
}

// TestProgressNeverFalls: in eight studies progress never falls, and forecasts span at most a factor of three.
func TestProgressNeverFalls(t *testing.T) {
	in := must(simulate.Sphere(8, 3, 2, 3))
	runs, looks := updates(t, in, 3, 8, 5, func(rng *rand.Rand) crowd.Respondent {
		_, population := simulate.Population{Coefficients: 1, Seed: 3}.Of(in)
		return crowd.Drawn(population, 10, rng)
	})
	known := 0
	for _, run := range runs {
		checkProgress(t, run, looks[run.Number])
		for _, u := range looks[run.Number] {
			if u.high > 0 {
				known++
			}
			if u.high > 3*u.low+1e-9 {
				t.Errorf("after %.0f answers: %.0f to %.0f", u.answered, u.low, u.high)
			}
		}
	}
	if known == 0 {
		t.Error("no forecast is shown")
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
