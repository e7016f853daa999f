package simulate_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"bestpick/crowd"
	"bestpick/simulate"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

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

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
