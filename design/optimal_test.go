package design_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/internal/approx"
)

// TestOptimalKnownAnswers: two unit vectors are shown half and half, where the width
// of their difference is 1/½ + 1/½ = 4; and by the theorem of Kiefer and Wolfowitz
// the value of the best G design is the dimension of what the arms span.
func TestOptimalKnownAnswers(t *testing.T) {
	two := catalogueOf(t, [][]float64{{1, 0}, {0, 1}})
	a, err := design.Optimal(two, design.XY, 1e-6, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	approx.EqualSlices(t, "shares", a.Shares, []float64{0.5, 0.5}, 1e-6)
	approx.Equal(t, "value", a.Value, 4, 1e-5)

	// Lengths 1 and 2: minimise 1/λ + 4/(4(1−λ)): half and half again, value 4.
	uneven := catalogueOf(t, [][]float64{{1, 0}, {0, 2}})
	if a, err = design.Optimal(uneven, design.XY, 1e-6, 10_000); err != nil {
		t.Fatal(err)
	}
	approx.Equal(t, "value", a.Value, 4, 1e-5)

	rng := rand.New(rand.NewPCG(7, 8))
	rank := map[string]float64{"random": 4, "many": 5, "rank-deficient": 2, "duplicates": 3, "soare": 6}
	for name, c := range instances(t, rng) {
		a, err := design.Optimal(c, design.G, 0.01, 5000)
		if err != nil {
			t.Fatal(err)
		}
		approx.EqualRelative(t, name, a.Value, rank[name], 0.02)
		if !(a.Value <= 1.0101*a.Bound) {
			t.Errorf("%s: value %v, bound %v", name, a.Value, a.Bound)
		}
	}
}

// valueOf computes the criterion of given shares from its definition, in the space
// that a pseudo-inverse leaves.
func valueOf(c *choice.Catalogue, criterion design.Criterion, shares []float64) float64 {
	v := mat.NewSymDense(c.Dim(), nil)
	for a, share := range shares {
		v.SymRankOne(v, share, mat.NewVecDense(c.Dim(), c.Arm(a)))
	}
	for k := range c.Dim() {
		v.SetSym(k, k, v.At(k, k)+1e-9)
	}
	active := make([]int, c.Len())
	for i := range active {
		active[i] = i
	}
	return uncertainty(c, v, criterion, active)
}

// TestOptimalIsWithinItsGap: the value is that of the shares, no random shares beat
// the bound, and the gap closes to 2 %.
func TestOptimalIsWithinItsGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for name, c := range instances(t, rng) {
		for _, criterion := range []design.Criterion{design.XY, design.G} {
			a, err := design.Optimal(c, criterion, 0.02, 20_000)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, share := range a.Shares {
				if !(share >= 0) {
					t.Fatalf("%s: share %v", name, share)
				}
				sum += share
			}
			approx.Equal(t, name+": sum of shares", sum, 1, 1e-9)
			approx.EqualRelative(t, name+": value", a.Value, valueOf(c, criterion, a.Shares), 1e-4)
			if !(a.Value <= 1.0201*a.Bound) || !(a.Bound <= a.Value*(1+1e-9)) {
				t.Errorf("%s, criterion %d: value %v, bound %v", name, criterion, a.Value, a.Bound)
			}
			for range 200 {
				shares := make([]float64, c.Len())
				total := 0.0
				for i := range shares {
					shares[i] = -math.Log(rng.Float64())
					total += shares[i]
				}
				for i := range shares {
					shares[i] /= total
				}
				if value := valueOf(c, criterion, shares); !(value >= a.Bound*(1-1e-6)) {
					t.Fatalf("%s: random shares reach %v, below the bound %v", name, value, a.Bound)
				}
			}
		}
	}
}

// TestOptimalDoesNotSeeUnits: features in other units, however small or large, have
// the same design; a short plan is not held up by arms without a share.
func TestOptimalDoesNotSeeUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	rows := make([][]float64, 50)
	for i := range rows {
		rows[i] = []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	}
	want, err := design.Optimal(catalogueOf(t, rows), design.XY, 0.01, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range []float64{1e-13, 1e-7, 1e6} {
		other := make([][]float64, len(rows))
		for i, row := range rows {
			other[i] = append([]float64(nil), row...)
			other[i][2] *= unit
		}
		got, err := design.Optimal(catalogueOf(t, other), design.XY, 0.01, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		approx.EqualRelative(t, "value", got.Value, want.Value, 0.011)
		if !(got.Value >= want.Bound*(1-1e-6)) {
			t.Errorf("unit %g: value %v below the bound %v", unit, got.Value, want.Bound)
		}
	}
	support := 0
	for _, share := range want.Shares {
		if share > 0 {
			support++
		}
	}
	if support > 25 {
		t.Errorf("%d of 50 arms have a share", support)
	}
	if _, err := design.Round(want.Shares, 30); err != nil {
		t.Error(err)
	}
}

func TestOptimalRefusesEqualArms(t *testing.T) {
	if _, err := design.Optimal(catalogueOf(t, [][]float64{{1, 2}, {1, 2}}), design.XY, 0.1, 10); err == nil {
		t.Error("two equal arms have a design")
	}
}

// TestRound: the pulls sum to n, and every arm has at least the share that the
// theorem promises.
func TestRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		m := 1 + rng.IntN(8)
		shares, total := make([]float64, m+rng.IntN(3)), 0.0
		for a := range m {
			shares[a] = rng.ExpFloat64()
			total += shares[a]
		}
		for a := range shares {
			shares[a] /= total
		}
		n := m + rng.IntN(100)
		pulls, err := design.Round(shares, n)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for a, count := range pulls {
			sum += count
			if (shares[a] == 0) != (count == 0) || float64(count) < (float64(n)-float64(m))*shares[a]-1e-9 {
				t.Fatalf("shares %v of %d are rounded to %v", shares, n, pulls)
			}
		}
		if sum != n {
			t.Fatalf("%v sum to %d, not %d", pulls, sum, n)
		}
	}
	if _, err := design.Round([]float64{0.5, 0.5}, 1); err == nil {
		t.Error("one pull was enough for two arms")
	}
}

// TestPlanKeepsThePulls: a plan shows every arm as often as planned, never one arm
// alone, and its design is close to the best.
func TestPlanKeepsThePulls(t *testing.T) {
	c := soare(t, 6, 0.01)
	best, err := design.Optimal(c, design.XY, 0.01, 20_000)
	if err != nil {
		t.Fatal(err)
	}
	const n, k = 200, 3
	pulls, err := design.Round(best.Shares, n*k)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := design.Plan(pulls, k)
	if err != nil || len(plan) != n {
		t.Fatalf("%d questions: %v", len(plan), err)
	}
	shown := make([]int, c.Len())
	for _, q := range plan {
		if err := q.Check(c.Len()); err != nil {
			t.Fatal(err)
		}
		for _, arm := range q {
			shown[arm]++
		}
	}
	shares := make([]float64, c.Len())
	for a := range shown {
		if shown[a] != pulls[a] {
			t.Errorf("arm %d is shown %d times, not %d", a, shown[a], pulls[a])
		}
		shares[a] = float64(shown[a]) / (n * k)
	}
	// Rounding costs at most 1/(1 − 7/600) = 1.012 on top of the gap of 1 %.
	if value := valueOf(c, design.XY, shares); !(value <= best.Bound*1.01*1.013) {
		t.Errorf("the plan's value is %v, the bound %v", value, best.Bound)
	}
	for _, bad := range []struct {
		pulls []int
		k     int
	}{{[]int{5, 1}, 4}, {[]int{4, 2}, 2}, {[]int{9, 0}, 3}, {[]int{11, 1}, 3}, {[]int{2, 2}, 1}, {nil, 2}} {
		if plan, err := design.Plan(bad.pulls, bad.k); err == nil {
			t.Errorf("%v in questions of %d became %v", bad.pulls, bad.k, plan)
		}
	}
	if plan, err := design.Plan([]int{4, 3, 1}, 2); err != nil || len(plan) != 4 {
		t.Errorf("%v, %v", plan, err)
	}
}

func TestScale(t *testing.T) {
	c := catalogueOf(t, [][]float64{{3, 4}, {1, 0}})
	scaled, by, err := design.Scale(c)
	if err != nil || by != 5 {
		t.Fatal(by, err)
	}
	approx.EqualSlices(t, "first arm", scaled.Arm(0), []float64{0.6, 0.8}, 1e-15)
	if same, by, err := design.Scale(scaled); same != scaled || by != 1 || err != nil {
		t.Error("arms within the ball were scaled again")
	}
}
