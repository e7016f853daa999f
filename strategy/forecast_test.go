package strategy

import "testing"

// TestForecastShown: there is no forecast while more answers are expected than there are, no range above a factor of three,
// and no number above the limit. A study is called hopeless only if even the lower end is unaffordable.
func TestForecastShown(t *testing.T) {
	for name, c := range map[string]struct {
		forecast Forecast
		answered int
		want     Forecast
	}{
		"none": {Forecast{}, 0, Forecast{}},
		"narrow": {
			Forecast{Known: true, Low: 100, Median: 200, High: 320, Epsilon: 0.1},
			200,
			Forecast{Known: true, Low: 100, Median: 200, High: 320, Epsilon: 0.1},
		},
		"early": {Forecast{Known: true, Low: 100, Median: 201, High: 330, Hopeless: true, Epsilon: 0.1}, 200, Forecast{Epsilon: 0.1}},
		"wide":  {Forecast{Known: true, Low: 1, Median: 30, High: 300}, 100, Forecast{Known: true, Low: 1, Median: 30, High: 203}},
		"over":  {Forecast{Known: true, Low: 1e4, Median: 1e6, High: 2e7}, 1e7, Forecast{Known: true, Low: 1e4, Median: 1e6}},
		"far":   {Forecast{Known: true, Low: 2e7, Median: 3e7, High: 6e7, Hopeless: true}, 10, Forecast{Hopeless: true}},
		"endless": {
			Forecast{Known: true, Low: 5e3, Median: 1e15, High: 1e15, Hopeless: true, Epsilon: 0.2},
			10,
			Forecast{Hopeless: true, Epsilon: 0.2},
		},
	} {
		if got := c.forecast.Shown(c.answered); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
