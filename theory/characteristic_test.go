package theory

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/simulate"
)

func characteristic(t testing.TB, p Problem, form Form, method Method) Characteristic {
	t.Helper()
	c := must(p.CharacteristicTime(form, method, 1e-3))
	if !(c.Time > 0 && c.Reached >= c.Time) {
		t.Fatalf("between %v and %v", c.Time, c.Reached)
	}
	return c
}

// TestTwoArms: one question and one alternative, utilities equal: 1/T* is
// KL((p, 1−p) ‖ (½, ½)), and by the quadratic form p(1−p)Δ²/2.
func TestTwoArms(t *testing.T) {
	p := problem(t, 2, []float64{1.2}, []float64{1}, []float64{0})
	share := 1 / (1 + math.Exp(-1.2))
	kl := math.Log(2) + share*math.Log(share) + (1-share)*math.Log(1-share)
	approx.EqualRelative(t, "exact", characteristic(t, p, Exact, Enumerate).Time, 1/kl, 1e-9)
	approx.EqualRelative(t, "quadratic", characteristic(t, p, Quadratic, Enumerate).Time, 2/(share*(1-share)*1.44),
		1e-9)
}

// TestGenerationEqualsEnumeration, with both gaps certified.
func TestGenerationEqualsEnumeration(t *testing.T) {
	for seed := range uint64(3) {
		for _, form := range []Form{Exact, Quadratic} {
			p := sphere(t, 20, 5, 3, seed+1)
			all, some := characteristic(t, p, form, Enumerate), characteristic(t, p, form, Generate)
			approx.EqualRelative(t, "T*", some.Time, all.Time, 0.01)
			for _, c := range []Characteristic{all, some} {
				if !(c.Gap() <= 1e-3) {
					t.Errorf("seed %d: the gap is %v after %d rounds", seed, c.Gap(), c.Rounds)
				}
			}
		}
	}
}

// TestSmallGapsAgree: where the gap is small an alternative is near, and the quadratic
// form is the exact one.
func TestSmallGapsAgree(t *testing.T) {
	instance := must(simulate.Soare(4, 0.01, 0))
	p := Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: 3, Delta: 0.05}
	exact := characteristic(t, p, Exact, Enumerate)
	quadratic := characteristic(t, p, Quadratic, Enumerate)
	approx.EqualRelative(t, "T*", exact.Time, quadratic.Time, 3e-3)
	if !(exact.Time > 1e8) {
		t.Errorf("T* = %v for a gap of 1e-4", exact.Time)
	}
	if len(exact.Contenders) != 1 || exact.Contenders[0].Arm != 4 {
		t.Errorf("contenders %v, want the last arm alone", exact.Contenders)
	}
}

// TestNoAlternativeIsNearer: of many random truths under which another arm is best, none
// has a lower rate than 1/Reached under the mix.
func TestNoAlternativeIsNearer(t *testing.T) {
	p := sphere(t, 8, 3, 3, 2)
	c := characteristic(t, p, Exact, Enumerate)
	shares := 0.0
	for _, s := range c.Mix {
		shares += s.Share
	}
	if !(shares > 0.99 && shares < 1+1e-9) {
		t.Errorf("shares sum to %v", shares)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	best := bestArm(p, p.Theta)
	nearest := math.Inf(1)
	for tries := 0; tries < 20_000; {
		theta := make([]float64, 3)
		for k := range theta {
			theta[k] = p.Theta[k] + rng.NormFloat64()
		}
		if bestArm(p, theta) == best {
			continue
		}
		tries++
		rate := 0.0
		for _, s := range c.Mix {
			rate += s.Share * divergenceOf(p, s.Question, theta)
		}
		nearest = min(nearest, rate)
	}
	// Shares below 1e-4 are not listed.
	if !(nearest >= 0.98/c.Reached) {
		t.Errorf("an alternative at rate %v, the least was said to be %v", nearest, 1/c.Reached)
	}
	if !(nearest <= 1.2/c.Reached) {
		t.Errorf("of 20,000 alternatives the nearest has rate %v, more than %v", nearest, 1/c.Reached)
	}
}

func bestArm(p Problem, theta []float64) int {
	best := 0
	for i := range p.Catalogue.Len() {
		if p.Catalogue.Utility(i, theta) > p.Catalogue.Utility(best, theta) {
			best = i
		}
	}
	return best
}

// TestSameProblemOtherwise: the order of the arms, a rotation of the features and a
// feature that is the same for all arms change nothing.
func TestSameProblemOtherwise(t *testing.T) {
	p := sphere(t, 9, 3, 3, 4)
	want := characteristic(t, p, Exact, Enumerate).Time
	cos, sin := math.Cos(0.7), math.Sin(0.7)
	turn := func(x []float64) []float64 {
		return []float64{cos*x[0] - sin*x[1], sin*x[0] + cos*x[1], x[2], 5}
	}
	rows := make([][]float64, 9)
	for i := range rows {
		rows[8-i] = turn(p.Catalogue.Arm(i))
	}
	other := problem(t, 3, turn(p.Theta), rows...)
	approx.EqualRelative(t, "T*", characteristic(t, other, Exact, Enumerate).Time, want, 2e-3)
}

// TestMoreArmsAQuestionHelp, as in the abstract of the paper, as long as they are few of
// all arms: beyond that a question must show arms that tell little.
func TestMoreArmsAQuestionHelp(t *testing.T) {
	before := math.Inf(1)
	for _, k := range []int{2, 3, 4} {
		c := characteristic(t, sphere(t, 10, 3, k, 1), Exact, Enumerate)
		if !(c.Time < before) {
			t.Errorf("K = %d takes %v, fewer arms took %v", k, c.Time, before)
		}
		for _, s := range c.Mix {
			if len(s.Question) != k {
				t.Errorf("question %v for K = %d", s.Question, k)
			}
		}
		before = c.Time
	}
}

// TestCopies: a copy of an arm that is not best is no problem.
func TestCopies(t *testing.T) {
	p := problem(t, 2, []float64{1, 0.5}, []float64{1, 0}, []float64{0, 1}, []float64{0, 1})
	without := problem(t, 2, []float64{1, 0.5}, []float64{1, 0}, []float64{0, 1})
	approx.EqualRelative(t, "T*", characteristic(t, p, Exact, Enumerate).Time,
		characteristic(t, without, Exact, Enumerate).Time, 2e-3)
}

// TestManyArms: too many questions to look at; both bounds hold without.
func TestManyArms(t *testing.T) {
	p := sphere(t, 120, 4, 5, 3) // 190 million questions
	c := characteristic(t, p, Quadratic, Automatic)
	if !(c.Gap() < 0.1) {
		t.Errorf("between %v and %v", c.Time, c.Reached)
	}
	if len(c.Mix) == 0 || len(c.Mix[0].Question) != 5 {
		t.Errorf("mix %v", c.Mix)
	}
}

func BenchmarkCharacteristicTime(b *testing.B) {
	for _, method := range []struct {
		name   string
		method Method
	}{{"enumerate", Enumerate}, {"generate", Generate}} {
		b.Run(method.name, func(b *testing.B) {
			p := sphere(b, 20, 5, 3, 1)
			for b.Loop() {
				characteristic(b, p, Exact, method.method)
			}
		})
	}
}

// TestUnitsDoNotMatter: features in other units are the same problem.
func TestUnitsDoNotMatter(t *testing.T) {
	p := sphere(t, 8, 3, 3, 6)
	units := []float64{1e6, 1e-7, 1}
	theta, rows := make([]float64, 3), make([][]float64, 8)
	for k := range theta {
		theta[k] = p.Theta[k] / units[k]
	}
	for i := range rows {
		for k, x := range p.Catalogue.Arm(i) {
			rows[i] = append(rows[i], x*units[k])
		}
	}
	want := characteristic(t, p, Exact, Enumerate).Time
	got := characteristic(t, problem(t, 3, theta, rows...), Exact, Enumerate).Time
	approx.EqualRelative(t, "T*", got, want, 2e-3)
}

// TestLargeUtilities: both bounds hold up to ‖θ*‖ = 20, where picks are all but certain.
// Of the truths under which another arm is best none that a crude search finds is nearer
// to θ* than Reached says, and it finds one that is not much farther.
func TestLargeUtilities(t *testing.T) {
	for seed := range uint64(60) {
		norm := 5 + 15*float64(seed%4)/3
		n := 4 + int(seed%3)
		instance := must(simulate.Sphere(n, 2, norm, seed+1))
		p := Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: 2 + int(seed%2), Delta: 0.05}
		c, err := p.CharacteristicTime(Exact, Enumerate, 1e-3)
		if err != nil {
			t.Errorf("seed %d, norm %.0f: %v", seed, norm, err)
			continue
		}
		if !(c.Gap() >= -1e-9 && c.Gap() < 0.01) {
			t.Errorf("seed %d, norm %.0f: between %v and %v", seed, norm, c.Time, c.Reached)
		}
		best, nearest := bestArm(p, p.Theta), math.Inf(1)
		for angle := 0.0; angle < 2*math.Pi; angle += 0.002 {
			for radius := 0.02 * norm; radius < 3*norm; radius *= 1.02 {
				theta := []float64{p.Theta[0] + radius*math.Cos(angle), p.Theta[1] + radius*math.Sin(angle)}
				if bestArm(p, theta) == best {
					continue
				}
				rate := 0.0
				for _, s := range c.Mix {
					rate += s.Share * divergenceOf(p, s.Question, theta)
				}
				nearest = min(nearest, rate)
				break // farther along the ray is farther
			}
		}
		// Shares below 1e-4 are not listed; the rays are 2 % apart.
		if !(nearest >= 0.97/c.Reached && nearest <= 1.3/c.Reached) {
			t.Errorf("seed %d, norm %.0f: an alternative at rate %v, the least was said to be %v", seed, norm, nearest, 1/c.Reached)
		}
	}
}

// TestRivalBoundsTheCharacteristicTime: the bound is at most T*·log(1/2.4δ). On the paper's
// instance, where two arms decide, it is at least a third of it.
func TestRivalBoundsTheCharacteristicTime(t *testing.T) {
	problems := map[string]Problem{}
	for seed := range uint64(4) {
		problems[fmt.Sprint("sphere ", seed)] = sphere(t, 6+int(seed), 3, 2+int(seed%2), seed)
	}
	instance := must(simulate.Soare(4, 0.1, 0))
	problems["soare"] = Problem{Catalogue: instance.Catalogue, Theta: instance.Theta, K: 3, Delta: 0.05}
	for name, p := range problems {
		rival, ok := p.Rival(0, 1)
		if !ok {
			t.Fatal("there is no rival")
		}
		c := must(p.CharacteristicTime(Exact, Automatic, 0.01))
		exact := c.Reached * p.LogError()
		if !(rival.Questions <= exact) || name == "soare" && rival.Questions < exact/3 {
			t.Errorf("%s: at least %v questions, and T*·log(1/2.4δ) is %v", name, rival.Questions, exact)
		}
	}
}

// TestRivalOfTies: tied arms need infinitely many questions, unless they have the same features,
// or an arm within ε of the best will do.
func TestRivalOfTies(t *testing.T) {
	tied := problem(t, 2, []float64{1, 1}, []float64{1, 0}, []float64{0, 1}, []float64{0, 0})
	if r, ok := tied.Rival(0, 1); !ok || !math.IsInf(r.Questions, 1) || r.Best != 0 || r.Arm != 1 || r.Gap != 0 {
		t.Errorf("%+v", r)
	}
	// Any change of utilities is possible with three arms and two features, so its range is ε.
	r, ok := tied.Rival(0.1, 2)
	if !ok {
		t.Fatal("there is no rival")
	}
	approx.EqualRelative(t, "questions", r.Questions, 8*math.Log(1/(2.4*0.05))/(2*0.01), 1e-9)
	copies := problem(t, 2, []float64{1, 1}, []float64{1, 0}, []float64{1, 0}, []float64{0, 0})
	if r, ok := copies.Rival(0, 1); !ok || r.Arm != 2 || math.IsInf(r.Questions, 1) {
		t.Errorf("%+v", r)
	}
}

// TestRivalOfAProduct: the bound of a product is that of its profiles, listed.
func TestRivalOfAProduct(t *testing.T) {
	product := must(choice.NewProduct([]choice.Group{
		{Features: []string{"x", "y"}, Options: []string{"a", "b", "c"}, Rows: [][]float64{{1, 0}, {0, 1}, {-1, -1}}},
		{Features: []string{"z"}, Options: []string{"1", "2"}, Rows: [][]float64{{1}, {-1}}},
	}))
	theta := []float64{0.7, 0.2, 0.4}
	var rows [][]float64
	for arm := range product.Len() {
		rows = append(rows, product.Arm(arm))
	}
	got, _ := Problem{Catalogue: product, Theta: theta, K: 2, Delta: 0.05}.Rival(0.1, 1)
	want, _ := problem(t, 2, theta, rows...).Rival(0.1, 1)
	approx.EqualRelative(t, "questions", got.Questions, want.Questions, 1e-9)
	if got.Arm != want.Arm {
		t.Errorf("the rival is %d, want %d", got.Arm, want.Arm)
	}
}
