package baseline_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/design"
	"bestpick/strategy"
	"bestpick/strategy/baseline"
)

// manyArms are more than all products are kept of, on the unit sphere, with copies.
func manyArms(t testing.TB, n int) *choice.Catalogue {
	t.Helper()
	rng := rand.New(rand.NewPCG(41, 42))
	ids, cells := make([]string, n), make([]float32, 0, 3*n)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
		if i%50 == 49 {
			cells = append(cells, cells[len(cells)-6:len(cells)-3]...)
			continue
		}
		x, y, z := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		norm := math.Sqrt(x*x + y*y + z*z)
		cells = append(cells, float32(x/norm), float32(y/norm), float32(z/norm))
	}
	c, err := choice.NewDense(ids, []string{"x", "y", "z"}, cells)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// manySettings are loose enough for the strategies to drop arms and to decide.
func manySettings() map[string]baseline.Settings {
	return map[string]baseline.Settings{
		"random":             {Kappa: 40, Ridge: 1e-3},
		"static":             {Kappa: 40, Ridge: 1e-3},
		"static, G":          {Kappa: 40, Ridge: 1e-3, Criterion: design.G},
		"static, ties sum":   {Kappa: 40, Ridge: 1e-3, Ties: design.TiesSum, Explore: -1},
		"adaptive":           {Kappa: 40, Ridge: 1e-3, Alpha: 0.5, Batches: baseline.Normalised},
		"adaptive, G":        {Kappa: 40, Ridge: 1e-3, Alpha: 0.5, Batches: baseline.Normalised, Criterion: design.G},
		"adaptive, ties sum": {Kappa: 40, Ridge: 1e-3, Alpha: 0.5, Batches: baseline.Normalised, Ties: design.TiesSum},
	}
}

func newOfMany(t testing.TB, c *choice.Catalogue, name string, settings baseline.Settings) strategy.Strategy {
	t.Helper()
	name, _, _ = strings.Cut(name, ",")
	s, err := baseline.New(name, c, settings)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestManyArmsAreRestored: with more arms than all products are kept of, what is restored
// at any moment cannot be told from the original.
func TestManyArmsAreRestored(t *testing.T) {
	c := manyArms(t, 3000)
	for name, settings := range manySettings() {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(43, 44))
			settings.Kappa = 2 // not to be decided soon
			original := newOfMany(t, c, name, settings)
			copied := original
			respondent := crowd.NewMNL(c, []float64{4, 2, 0}, rand.New(rand.NewPCG(45, 46)))
			var out []choice.Question
			for range 40 {
				if rng.IntN(8) == 0 {
					copied = restoredOf(t, c, original)
				}
				q, err := original.Ask()
				if copied != original {
					if other, otherErr := copied.Ask(); !slices.Equal(q, other) || !errors.Is(otherErr, err) {
						t.Fatalf("asked %v (%v), restored %v (%v)", q, err, other, otherErr)
					}
				}
				if errors.Is(err, strategy.ErrStopped) {
					t.Fatalf("decided after %d answers: nothing is left to compare", original.Verdict().Answered)
				}
				if err == nil {
					out = append(out, slices.Clone(q))
				}
				for len(out) > 3 || err != nil && len(out) > 0 {
					at := rng.IntN(len(out))
					answer := choice.Answer{Question: out[at], Picks: slices.Clone(respondent.Pick(out[at], 1))}
					out = slices.Delete(out, at, at+1)
					if err := original.Tell(answer); err != nil {
						t.Fatal(err)
					}
					if copied != original && copied.Tell(answer) != nil {
						t.Fatal("refused by the restored")
					}
				}
				if a, b := fmt.Sprint(original.Verdict()), fmt.Sprint(copied.Verdict()); a != b {
					t.Fatalf("verdict %.200s, restored %.200s", a, b)
				}
			}
		})
	}
}

// restoredOf returns what a snapshot restores to, whose own snapshot must be the same.
func restoredOf(t *testing.T, c *choice.Catalogue, s strategy.Strategy) strategy.Strategy {
	t.Helper()
	saved, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	copied, err := baseline.Restore(c, saved)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := copied.Snapshot(); err != nil || !bytes.Equal(saved, again) {
		t.Fatalf("a snapshot of the restored differs: %v", err)
	}
	return copied
}

// TestManyArmsAreDecided: the strategies stop, with a good arm, copies of it or not. At these
// settings they stop early, so that it need not be the best.
func TestManyArmsAreDecided(t *testing.T) {
	c := manyArms(t, 2500)
	theta := []float64{6, 2, 0}
	utilities := make([]float64, c.Len())
	c.Multiply(utilities, theta)
	for name, settings := range manySettings() {
		t.Run(name, func(t *testing.T) {
			s := newOfMany(t, c, name, settings)
			respondent := crowd.NewMNL(c, theta, rand.New(rand.NewPCG(47, 48)))
			for range 4000 {
				q, err := s.Ask()
				if err != nil {
					break
				}
				if err := s.Tell(choice.Answer{Question: q, Picks: respondent.Pick(q, 1)}); err != nil {
					t.Fatal(err)
				}
			}
			if v, most := s.Verdict(), slices.Max(utilities); v.Status != strategy.Decided || !(utilities[v.Leader] > 0.9*most) {
				t.Errorf("%v after %d answers: %d contenders, utility %.3f of %.3f", v.Status, v.Answered, len(v.Contenders), utilities[v.Leader], most)
			}
		})
	}
}

func TestGLGapERefusesManyArms(t *testing.T) {
	_, err := baseline.New("glgape", manyArms(t, 2049), baseline.Settings{K: 2})
	if err == nil || !strings.Contains(err.Error(), "at most 2048 arms, got 2049") {
		t.Errorf("%v", err)
	}
}
