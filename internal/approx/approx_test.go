package approx_test

import (
	"math"
	"testing"

	"bestpick/internal/approx"
)

// recorder counts the failures of a test that is not run.
type recorder struct{ failures int }

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failures++ }

func TestHelpersFailWhenTheyShould(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name            string
		got, want, band float64
		fails           bool
	}{
		{"equal", 1, 1, 0, false},
		{"within", 1.05, 1, 0.1, false},
		{"outside", 1.2, 1, 0.1, true},
		{"got NaN", nan, 1, 10, true},
		{"want NaN", 1, nan, 10, true},
		{"band NaN", 1, 1, nan, true},
		{"infinite", inf, 1, 10, true},
		{"both infinite", inf, inf, 10, true},
	} {
		for how, compare := range map[string]func(t approx.T){
			"Equal":       func(t approx.T) { approx.Equal(t, c.name, c.got, c.want, c.band) },
			"EqualSlices": func(t approx.T) { approx.EqualSlices(t, c.name, []float64{c.got}, []float64{c.want}, c.band) },
		} {
			var r recorder
			if compare(&r); (r.failures > 0) != c.fails {
				t.Errorf("%s, %s: failed %v, want %v", how, c.name, r.failures > 0, c.fails)
			}
		}
	}
	var r recorder
	approx.EqualSlices(&r, "lengths", []float64{1}, []float64{1, 2}, 1)
	approx.EqualRelative(&r, "relative", 101, 100, 0.001)
	if r.failures != 2 {
		t.Errorf("%d of 2 differences were seen", r.failures)
	}
	approx.EqualRelative(t, "relative", -100.05, -100, 0.001)
}
