package strategy

import "testing"

// TestForecastLimited: people see no number above the limit, and all others as they are.
func TestForecastLimited(t *testing.T) {
	f := Forecast{Known: true, Low: 300, Median: ForecastLimit, High: 1e15, Hopeless: true, Epsilon: 0.1}
	want := f
	want.High = 0
	if got := f.Limited(); got != want || f.High != 1e15 {
		t.Errorf("%+v became %+v", f, got)
	}
}
