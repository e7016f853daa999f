package simulate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"bestpick/checks"
	"bestpick/internal/approx"
)

// TestViolations: what is broken, and by how much: the second best arm gains what was asked
// for, θ turns by the angle and keeps its length, two segments have different best arms, and
// what is correct depends on when the verdict is given.
func TestViolations(t *testing.T) {
	in := must(Sphere(6, 2, 2, 9))
	best, gap := in.Best()
	second := -1
	for arm := range 6 {
		if arm != best && (second < 0 || in.utility(arm) > in.utility(second)) {
			second = arm
		}
	}
	appeal, _ := Violation{Check: checks.Appeal}.Of(in)
	for arm := range 6 {
		want := in.utility(arm)
		if arm == second {
			want += 0.5
		}
		approx.Equal(t, "utility", appeal.utility(arm), want, 1e-12)
	}
	for _, degrees := range []float64{30, 90} {
		turned := turn(in.Catalogue, in.Theta, best, second, degrees)
		approx.Equal(t, "length", floats.Norm(turned, 2), 2, 1e-12)
		approx.Equal(t, "angle", math.Acos(floats.Dot(turned, in.Theta)/4)*180/math.Pi, degrees, 1e-6)
		after := Instance{Catalogue: in.Catalogue, Theta: turned}
		if was, is := gap, after.utility(best)-after.utility(second); !(is < was) {
			t.Errorf("turned by %v° the best arm leads by %v, %v before", degrees, is, was)
		}
		if other, _ := after.Best(); degrees == 90 && other == best {
			t.Error("both segments have the same best arm")
		}
	}
	drift, _ := Violation{Check: checks.Drift, Strength: 90, At: 100}.Of(in)
	if !drift.after(100).IsBest(best, 0) || drift.after(101).IsBest(best, 0) {
		t.Error("what is best does not change when it should")
	}
	line := must(Sphere(4, 1, 2, 1))
	flat, _ := Violation{Check: checks.People}.Of(line)
	for arm := range 4 {
		approx.Equal(t, "utility in one dimension", flat.utility(arm), line.utility(arm)/2, 1e-9)
	}
}
