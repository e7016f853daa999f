package racing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
)

func sevenArms(t *testing.T) *choice.Catalogue {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 1))
	var ids []string
	var rows [][]float64
	for i := range 7 {
		ids, rows = append(ids, fmt.Sprint("a", i)), append(rows, []float64{rng.NormFloat64(), 3 + rng.NormFloat64()})
	}
	return must(choice.NewCatalogue(ids, []string{"x", "y"}, rows))
}

// TestCoordinates: whatever the model tells apart, the coordinates of what is shown are centred and
// uncorrelated, as the evidence assumes, and an arm is judged by its mean over segments and
// without its slot.
func TestCoordinates(t *testing.T) {
	c := sevenArms(t)
	segments := []Segment{{"old", 3}, {"young", 1}}
	for _, m := range []Model{
		{}, {Slots: true}, {Intercepts: true}, {Segments: segments}, {Slots: true, Intercepts: true, Segments: segments},
	} {
		v := must(newCoordinates(c, m, choice.Offer{}, 4, defaultLookSizes()))
		base := 2
		if m.Intercepts {
			base = 6
		}
		want := base
		if m.Segments != nil {
			want *= 2
		}
		if m.Slots {
			want += 3
		}
		n, d := v.screen.Len(), v.screen.Dim()
		if d != want || n != 7*v.slots*v.segments || v.arms.Len() != 7 || v.arms.Dim() != d {
			t.Fatalf("%+v: %d rows of %d", m, n, d)
		}
		for k := range d {
			for l := range k + 1 {
				mean, product := 0.0, 0.0
				for i := range n {
					mean += v.screen.Arm(i)[k] / float64(n)
					product += v.screen.Arm(i)[k] * v.screen.Arm(i)[l] / float64(n)
				}
				approx.Equal(t, "mean", mean, 0, 1e-12)
				if k != l {
					approx.Equal(t, "covariance", product, 0, 1e-12)
				} else if !(product > 1e-6) {
					t.Errorf("%+v: coordinate %d is without meaning", m, k)
				}
			}
		}
		shares := []float64{1}
		if m.Segments != nil {
			shares = []float64{0.75, 0.25}
		}
		for arm := range 7 {
			mean := make([]float64, d)
			for segment, share := range shares {
				for slot := range v.slots {
					for k, x := range v.screen.Arm(v.row(arm, slot, segment)) {
						mean[k] += share * x / float64(v.slots)
					}
				}
			}
			approx.EqualSlices(t, "judged", v.arms.Arm(arm), mean, 1e-12)
		}
	}
}

// TestInterceptsAllowAnything: with them any utilities are those of some θ.
func TestInterceptsAllowAnything(t *testing.T) {
	v := must(newCoordinates(sevenArms(t), Model{Intercepts: true}, choice.Offer{}, 3, defaultLookSizes()))
	want := []float64{3, -1, 0, 0, 2, -4, 0} // sums to zero
	theta := make([]float64, v.screen.Dim())
	for k := range theta {
		square := 0.0
		for i, u := range want {
			theta[k] += u * v.screen.Arm(i)[k]
			square += v.screen.Arm(i)[k] * v.screen.Arm(i)[k]
		}
		theta[k] /= square
	}
	for i, u := range want {
		approx.Equal(t, "utility", v.screen.Utility(i, theta), u, 1e-12)
	}
}

// TestHalfway: with any constants for two slots, any other arms and any share of random clicks,
// the better of two arms is picked at least as often as the other on average over the two
// orders, so that a bet on at most ½ for it gains nothing.
func TestHalfway(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 10_000 {
		better, other := rng.NormFloat64(), rng.NormFloat64()
		better = max(better, other)
		other = min(better, other)
		one, two, rest, clicks := 2*rng.NormFloat64(), 2*rng.NormFloat64(), math.Exp(2*rng.NormFloat64()), rng.Float64()
		bet := rng.Float64() / 2
		mean := 0.0
		for _, slots := range [][2]float64{{one, two}, {two, one}} {
			a, b := math.Exp(better+slots[0]), math.Exp(other+slots[1])
			sum := a + b + rest
			pa, pb := (1-clicks)*a/sum+clicks/3, (1-clicks)*b/sum+clicks/3
			mean += (pa*bet/0.5 + pb*(1-bet)/0.5 + 1 - pa - pb) / 2
		}
		if !(mean <= 1+1e-12) {
			t.Fatalf("utilities %v and %v, slots %v and %v, a bet of %v: %v", better, other, one, two, bet, mean)
		}
	}
}

// TestUnknownSegment: an answer of a segment that is not declared is refused, and changes nothing.
func TestUnknownSegment(t *testing.T) {
	c := sevenArms(t)
	r := must(newLinear(c, Settings{Model: Model{Segments: []Segment{{"a", 1}, {"b", 1}}}}, defaultLookSizes()))
	q := must(r.Ask())
	if r.Tell(choice.Answer{Question: q, Picks: []int{0}, Segment: "c"}) == nil {
		t.Error("a segment that is not there is accepted")
	}
	if err := r.Tell(choice.Answer{Question: q, Picks: []int{0}, Segment: "b"}); err != nil {
		t.Errorf("the question is no longer out: %v", err)
	}
}

// must returns the value of a call, and panics if it failed.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
