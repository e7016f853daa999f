package simulate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"bestpick/checks"
	"bestpick/internal/approx"
)

// TestPopulations: people differ as described, and the shares that arms lose follow from that.
func TestPopulations(t *testing.T) {
	in := must(Sphere(8, 3, 2, 1))
	best, gap := in.Best()
	plain, alike := Population{}.Of(in)
	approx.Equal(t, "utilities", floats.Distance(alike(rand.New(rand.NewPCG(1, 1))), utilities(in.Catalogue, in.Theta), 2), 0, 1e-12)
	approx.Equal(t, "the best arm", plain.Beaten(best), logistic(-gap), 1e-9)
	for arm := range 8 {
		if arm != best {
			approx.Equal(t, "beaten", plain.Beaten(arm), in.Beaten(arm), 1e-9)
		}
	}
	clicking, _ := Population{Clickers: 0.5}.Of(in)
	approx.Equal(t, "clickers", clicking.Beaten(best), 0.25+logistic(-gap)/2, 0.02)
	_, varied := Population{Coefficients: 1}.Of(in)
	rng := rand.New(rand.NewPCG(2, 2))
	var first []float64
	for range 4000 {
		first = append(first, varied(rng)[0])
	}
	mean, sd := stat.MeanStdDev(first, nil)
	approx.Equal(t, "mean utility", mean, in.utility(0), 0.08)
	approx.Equal(t, "its deviation", sd, 2/math.Sqrt(3), 0.06) // arms have norm 1
	_, residual := Population{Residual: 0.5}.Of(in)
	if a, b := residual(rng), residual(rng); !floats.Equal(a, b) || floats.EqualApprox(a, utilities(in.Catalogue, in.Theta), 0.01) {
		t.Error("residuals must be the same for all people, and not zero")
	}
	for _, classes := range []int{2, 3} {
		_, divided := Population{Classes: classes, Degrees: 90}.Of(in)
		kinds := map[string]bool{}
		for range 100 {
			kinds[fmt.Sprintf("%.6f", divided(rng))] = true
		}
		if len(kinds) != classes {
			t.Errorf("%d classes have %d kinds of people", classes, len(kinds))
		}
	}
}

// TestShares: people come from classes with given shares. Of 4,000 people a quarter has the standard error 0.7%.
func TestShares(t *testing.T) {
	in := must(Sphere(8, 3, 2, 1))
	classes := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	changed, draw := Population{PartWorths: classes, Shares: []float64{0.25, 0.75, 0}}.Of(in)
	rng := rand.New(rand.NewPCG(3, 3))
	first := 0
	for range 4000 {
		switch u := draw(rng); {
		case floats.Equal(u, utilities(in.Catalogue, classes[0])):
			first++
		case !floats.Equal(u, utilities(in.Catalogue, classes[1])):
			t.Fatalf("a person of no class, or of one with the share 0: %v", u)
		}
	}
	approx.Equal(t, "share of the first class", float64(first)/4000, 0.25, 0.03)
	for arm, u := range changed.Utilities {
		approx.Equal(t, "mean utility", u, 0.25*in.Catalogue.Arm(arm)[0]+0.75*in.Catalogue.Arm(arm)[1], 0.03)
	}
}

// TestCycle: two thirds of the people choose each arm of the cycle over the next, in the limit.
func TestCycle(t *testing.T) {
	in := must(Sphere(5, 2, 2, 1))
	cycle, _, err := Cycle(in, 20)
	if err != nil {
		t.Fatal(err)
	}
	for arm := range 3 {
		approx.Equal(t, "beaten", cycle.Beaten(arm), 2.0/3, 0.02)
		if cycle.IsMajorityBest(arm, 0.05) {
			t.Errorf("arm %d is a favourite", arm)
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
