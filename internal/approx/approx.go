// Package approx compares floating-point numbers in tests. Its helpers fail on
// NaN, which a plain math.Abs(got-want) > tolerance lets pass.
package approx

import "math"

// T is what the helpers need of a test: a *testing.T, *testing.B or *rapid.T.
type T interface {
	Helper()
	Errorf(format string, arguments ...any)
}

// Equal fails the test unless got is within tolerance of want.
func Equal(t T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.12g, want %.12g ± %.3g (off by %.3g)", what, got, want, tolerance, got-want)
	}
}

// EqualRelative fails the test unless got is within tolerance·|want| of want.
func EqualRelative(t T, what string, got, want, tolerance float64) {
	t.Helper()
	Equal(t, what, got, want, tolerance*math.Abs(want))
}

// EqualSlices fails the test unless got and want are equally long and every entry
// of got is within tolerance of that of want.
func EqualSlices(t T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d entries, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Errorf("%s[%d] = %.12g, want %.12g ± %.3g (off by %.3g)", what, i, got[i], want[i], tolerance, got[i]-want[i])
		}
	}
}
