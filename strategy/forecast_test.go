package strategy

import "testing"

// TestForecastShown: a wide range is not shown, nor is a number above the limit. A study is called
// hopeless only if even the lower end is unaffordable.
func TestForecastShown(t *testing.T) {
	for name, c := range map[string]struct {
		forecast Forecast
		answered int
		want     Forecast
	}{
		"none": {Forecast{}, 0, Forecast{}},
		"narrow": {
			Forecast{Known: true, Low: 100, Median: 300, High: 900, Epsilon: 0.1},
			10,
			Forecast{Known: true, Low: 60, Median: 180, High: 540, Epsilon: 0.1},
		},
		"wide": {Forecast{Known: true, Low: 100, Median: 300, High: 1200, Hopeless: true, Epsilon: 0.1}, 10, Forecast{Epsilon: 0.1}},
		"late": {Forecast{Known: true, Low: 1, Median: 30, High: 1200}, 100, Forecast{Known: true, Low: 0.6, Median: 18, High: 720}},
		"over": {Forecast{Known: true, Low: 1e4, Median: 1e6, High: 1e8}, 1e7, Forecast{Known: true, Low: 6e3, Median: 6e5}},
		"far":  {Forecast{Known: true, Low: 2e7, Median: 3e7, High: 1e8, Hopeless: true}, 10, Forecast{Known: true, Hopeless: true}},
		"endless": {
			Forecast{Known: true, Low: 2e4, Median: 1e15, High: 1e15, Hopeless: true, Epsilon: 0.2},
			10,
			Forecast{Hopeless: true, Epsilon: 0.2},
		},
	} {
		if got := c.forecast.Shown(c.answered); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
