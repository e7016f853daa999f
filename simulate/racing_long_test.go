//go:build long

package simulate_test

import (
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
	"bestpick/strategy/racing"
	"bestpick/theory"
)

// race runs the certified strategy on an instance.
func race(t *testing.T, instance simulate.Instance, settings racing.Settings, change func(*simulate.Experiment)) []simulate.Run {
	t.Helper()
	e := simulate.Experiment{
		Instance: instance,
		Strategy: func(seed uint64) (strategy.Strategy, error) {
			own := settings
			own.Seed = seed
			return racing.New(instance.Catalogue, own)
		},
		Crowd:   func(rng *rand.Rand) crowd.Respondent { return crowd.NewMNL(instance.Catalogue, instance.Theta, rng) },
		Epsilon: settings.Epsilon, Runs: 20, Seed: 1,
	}
	if change != nil {
		change(&e)
	}
	return must(e.Run(t.Context()))
}

func sphereOf(t *testing.T, n, d int, norm float64, seed uint64) simulate.Instance {
	t.Helper()
	return must(simulate.Sphere(n, d, norm, seed))
}

// withCopies adds a copy of the best arm and a dimension that no arm has.
func withCopies(t *testing.T, in simulate.Instance) simulate.Instance {
	t.Helper()
	best, _ := in.Best()
	var ids []string
	var rows [][]float64
	for i := range in.Catalogue.Len() {
		ids = append(ids, in.Catalogue.ID(i))
		rows = append(rows, append(append([]float64(nil), in.Catalogue.Arm(i)...), 1))
	}
	ids, rows = append(ids, "copy"), append(rows, rows[best])
	c := must(choice.NewCatalogue(ids, append(append([]string(nil), in.Catalogue.Features()...), "one"), rows))
	return simulate.Instance{Catalogue: c, Theta: append(append([]float64(nil), in.Theta...), 0.5)}
}

// TestLongRacingShift: where the paper's strategy is always wrong.
func TestLongRacingShift(t *testing.T) {
	for _, shift := range []float64{0, 1} {
		in := must(simulate.Soare(5, 0.5, shift))
		s := simulate.Summarise(race(t, in, racing.Settings{}, nil))
		t.Logf("shift %g: %.0f ± %.0f answers, at most %.0f", shift, s.Questions.Mean, s.Questions.SE, s.Questions.Max)
		if s.Correct != 20 || s.Stopped != 20 || !(s.Questions.Max < 15_000) {
			t.Errorf("shift %g: %d of 20 right, up to %.0f answers", shift, s.Correct, s.Questions.Max)
		}
	}
}

// TestLongEfficiency: answers over the lower bound T*·log(1/2.4δ), as a mean of the ratios over the
// instances from a seed on; in ten dimensions those whose two best arms are at least 0.1 apart. Instances
// with a lower bound above 20,000 answers would take days and are left out.
//
// The constants of tilts were chosen on the seeds 301 to 306. The seeds from 201 and 401 on are fresh: they were
// drawn before any result on them was seen, and nothing was chosen by these results. The targets are 4.4 on
// the unseen instances with five features and 6.5 with ten.
func TestLongEfficiency(t *testing.T) {
	for _, c := range []struct {
		name             string
		n, d             int
		from             uint64
		instances, runs  int
		gap, delta, most float64
	}{
		{"plain", 20, 5, 1, 5, 20, 0, 0.05, 4.6},
		{"fresh", 20, 5, 201, 5, 20, 0, 0.05, 4.9},
		{"small δ", 20, 5, 1, 5, 20, 0, 1e-6, 1.9},
		{"ten features", 100, 10, 1, 5, 20, 0.1, 0.05, 6.5},
		{"unseen", 20, 5, 401, 20, 10, 0, 0.05, 4.9},
		{"unseen, ten features", 100, 10, 401, 20, 5, 0.1, 0.05, 8.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			ratio, instances := 0.0, 0
			for seed := c.from; instances < c.instances; seed++ {
				in := sphereOf(t, c.n, c.d, 3, seed)
				if _, gap := in.Best(); gap < c.gap {
					continue
				}
				p := theory.Problem{Catalogue: in.Catalogue, Theta: in.Theta, K: 3, Delta: c.delta}
				characteristic := must(p.CharacteristicTime(theory.Exact, theory.Automatic, 1e-3))
				bound := characteristic.Time * p.LogError()
				if bound > 20_000 {
					continue
				}
				instances++
				s := simulate.Summarise(race(t, in, racing.Settings{Delta: c.delta}, func(e *simulate.Experiment) { e.Runs = c.runs }))
				t.Logf("seed %d: %.0f ± %.0f answers, %.2f times %.0f", seed, s.Questions.Mean, s.Questions.SE, s.Questions.Mean/bound, bound)
				if s.Correct != c.runs {
					t.Errorf("seed %d: %d of %d right", seed, s.Correct, c.runs)
				}
				ratio += s.Questions.Mean / bound / float64(c.instances)
			}
			t.Logf("%.2f times the lower bound", ratio)
			if !(ratio <= c.most) {
				t.Errorf("%.2f times the lower bound, not %g", ratio, c.most)
			}
		})
	}
}

// TestLongAgainstThePaper: on the average of five instances the paper's adaptive strategy
// takes more than 100 times as many answers, even if it is stopped at a million.
func TestLongAgainstThePaper(t *testing.T) {
	var papers, own float64
	for seed := range uint64(5) {
		in := sphereOf(t, 20, 5, 3, seed+1)
		adaptive := simulate.Summarise(race(t, in, racing.Settings{}, func(e *simulate.Experiment) {
			e.Strategy = func(seed uint64) (strategy.Strategy, error) {
				return baseline.New("adaptive", in.Catalogue, baseline.Settings{Seed: seed})
			}
			e.Runs, e.MaxQuestions = 2, 1_000_000
		}))
		certified := simulate.Summarise(race(t, in, racing.Settings{}, nil))
		t.Logf("seed %d: %.0f answers, %d of 2 runs stopped by themselves; racing %.0f", seed+1, adaptive.Questions.Mean,
			adaptive.Stopped, certified.Questions.Mean)
		papers, own = papers+adaptive.Questions.Mean, own+certified.Questions.Mean
	}
	t.Logf("%.0f times fewer", papers/own)
	if !(papers >= 100*own) {
		t.Errorf("only %.0f times fewer", papers/own)
	}
}

// TestLongRankings: ranking four of five takes at most half the questions, on each of five
// instances.
func TestLongRankings(t *testing.T) {
	for seed := range uint64(5) {
		in := sphereOf(t, 20, 5, 3, seed+1)
		mean := func(picks int) float64 {
			return simulate.Summarise(race(t, in, racing.Settings{K: 5}, func(e *simulate.Experiment) { e.Picks = picks })).Questions.Mean
		}
		one, four := mean(1), mean(4)
		t.Logf("seed %d: %.0f questions with rankings, %.0f without: %.2f", seed+1, four, one, four/one)
		if !(four <= one/2) {
			t.Errorf("seed %d: %.0f questions with rankings, %.0f without", seed+1, four, one)
		}
	}
}

// TestLongEpsilon: the best arm of the paper's instance would take 10⁹ answers; one within
// 0.2 of it takes few, and before that the verdict says that it is hopeless otherwise.
func TestLongEpsilon(t *testing.T) {
	in := must(simulate.Soare(5, 0.01, 0))
	hopeless := map[int]bool{}
	s := simulate.Summarise(race(t, in, racing.Settings{Epsilon: 0.2}, func(e *simulate.Experiment) {
		e.Workers = 1
		e.Each = func(r, question int, s strategy.Strategy) {
			if v := s.Verdict(); question > 100 && v.Status == strategy.Asking && v.Forecast.Known && v.Forecast.Hopeless {
				hopeless[r] = true
			}
		}
	}))
	if s.Correct != 20 || s.Stopped != 20 || !(s.Questions.Max < 5000) {
		t.Errorf("%d of 20 right, up to %.0f questions", s.Correct, s.Questions.Max)
	}
	if len(hopeless) < 19 {
		t.Errorf("the verdict says that the two best cannot be told apart in %d of 20 runs", len(hopeless))
	}
}

// TestLongShownForecast: what is shown of the forecast does not jump between looks, the number still needed lies in the
// range in 80 to 95 % of the cases, and most looks in the second half of a study show one: the first look with a forecast
// after every quarter more answers, in 400 studies. The factors of the forecast were chosen on other instances and seeds,
// where 84 % hold.
func TestLongShownForecast(t *testing.T) {
	within, below, above, all, late, lateShown := 0, 0, 0, 0, 0, 0
	count := func(in simulate.Instance, settings racing.Settings) {
		runs, looks := shownForecasts(t, in, settings, 20, 5)
		for _, run := range runs {
			checkJumps(t, looks[run.Number])
			next := 25.0
			for _, look := range looks[run.Number] {
				isLate := 2*look.answered >= run.Questions
				late, lateShown = late+one(isLate), lateShown+one(isLate && look.Known)
				if look.Known && float64(look.answered) >= next {
					left := float64(run.Questions - look.answered)
					switch {
					case run.Stopped && left < look.Low:
						below++
					case left > look.High:
						above++
					default:
						within++
					}
					all++
				}
				for next <= float64(look.answered) {
					next *= 1.25
				}
			}
		}
	}
	for seed := range uint64(8) {
		count(sphereOf(t, 20, 5, 3, seed+101), racing.Settings{})
	}
	for seed := range uint64(6) {
		count(sphereOf(t, 8, 3, 2, seed+201), racing.Settings{})
		count(sphereOf(t, 30, 4, 3, seed+301), racing.Settings{K: 4, Epsilon: 0.2})
	}
	t.Logf("of %d forecasts %d hold, %d studies ended sooner and %d later; %d of %d late looks have one", all, within, below, above,
		lateShown, late)
	if share := float64(within) / float64(all); !(share >= 0.8 && share <= 0.95) || 2*lateShown < late {
		t.Errorf("the range holds the truth in %.2f of %d forecasts", share, all)
	}
}
