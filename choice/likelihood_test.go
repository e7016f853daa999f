package choice_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// TestLikelihoodsEqualTheirTwins compares every likelihood with its brute-force
// twin, at utilities of scale 1 to 20 and at ±1e4. Sums of a few hundred terms of
// size up to the scale are exact to about 1e-12 of it.
func TestLikelihoodsEqualTheirTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 5 {
		for _, twin := range twins(t, rng) {
			for _, scale := range []float64{0, 1, 2, 5, 10, 20, 1e4} {
				t.Run(fmt.Sprintf("%s at %g", twin.name, scale), func(t *testing.T) {
					compareWithTwin(t, twin, randomVector(rng, len(twin.likelihood.Names()), scale))
				})
			}
		}
	}
}

func compareWithTwin(t *testing.T, twin twin, theta []float64) {
	t.Helper()
	d, picks := len(theta), twin.plain.total()
	l := twin.likelihood
	value, gradient, information := twin.plain.evaluate(theta)
	approx.Equal(t, "picks", l.Picks(), picks, 1e-9)
	approx.Equal(t, "log-likelihood", l.LogLikelihood(theta), value, 1e-10*(picks-value))
	approx.Equal(t, "equal shares", l.NullLogLikelihood(), twin.plain.equalShares(), 1e-10*picks)

	gotGradient, gotInformation := make([]float64, d), mat.NewSymDense(d, nil)
	compare := func(what string) {
		approx.EqualSlices(t, what+": gradient", gotGradient, gradient, 1e-11*picks)
		for k := range d {
			for j := k; j < d; j++ {
				approx.Equal(t, fmt.Sprintf("%s: information[%d,%d]", what, k, j), gotInformation.At(k, j),
					information.At(k, j)+twin.slack, 1e-11*picks)
			}
		}
	}
	l.Derivatives(theta, gotGradient, gotInformation)
	compare("Derivatives")
	clear(gotGradient)
	gotInformation.Zero()
	approx.Equal(t, "Evaluate", l.Evaluate(theta, gotGradient, gotInformation), value, 1e-10*(picks-value))
	compare("Evaluate")

	least, greatest, widest := twin.plain.margins(theta)
	gotLeast, gotGreatest := l.Margins(theta)
	approx.Equal(t, "least margin", gotLeast, least, 1e-12)
	approx.Equal(t, "greatest margin", gotGreatest, greatest, 1e-12)
	if spread := l.Spread(theta); !(spread >= (1-1e-12)*widest) {
		t.Errorf("Spread = %v is below a margin of %v", spread, widest)
	}
}

// TestDerivativesAgainstFiniteDifferences: with step h = 1e-5 the error of a
// central difference is h²/6 times a third derivative plus the rounding of the
// value over h. Features are of size one, so a derivative of any order is at most
// about 30 for each pick: h²/6·30 = 5e-10. Values are up to 100·picks, rounded to
// 1e-16 of it: 1e-14/1e-5 = 1e-9. Together under 1e-8 a pick.
func TestDerivativesAgainstFiniteDifferences(t *testing.T) {
	const h = 1e-5
	rng := rand.New(rand.NewPCG(9, 10))
	for _, twin := range twins(t, rng) {
		for _, scale := range []float64{1, 2, 5, 10, 20} {
			t.Run(fmt.Sprintf("%s at %g", twin.name, scale), func(t *testing.T) {
				l, d := twin.likelihood, len(twin.likelihood.Names())
				theta := randomVector(rng, d, scale)
				gradient, information := make([]float64, d), mat.NewSymDense(d, nil)
				l.Derivatives(theta, gradient, information)
				up, down, scratch := make([]float64, d), make([]float64, d), mat.NewSymDense(d, nil)
				for k := range d {
					at := theta[k]
					theta[k] = at + h
					valueUp := l.Evaluate(theta, up, scratch)
					theta[k] = at - h
					valueDown := l.Evaluate(theta, down, scratch)
					theta[k] = at
					approx.Equal(t, fmt.Sprintf("gradient[%d]", k), gradient[k], (valueUp-valueDown)/(2*h), 1e-8*l.Picks())
					for j := range d {
						approx.Equal(t, fmt.Sprintf("information[%d,%d]", j, k),
							information.At(j, k)-twin.slack, -(up[j]-down[j])/(2*h), 1e-8*l.Picks())
					}
				}
			})
		}
	}
}

// TestFarApartArms: questions among arms with negligible probabilities.
// Against the best arm their exponentials are next to nothing, and their squares
// nothing at all.
func TestFarApartArms(t *testing.T) {
	c := must(choice.NewCatalogue([]string{"best", "x", "y", "z"}, []string{"u", "v"},
		[][]float64{{0, 0}, {-450, 1}, {-451, 0}, {-450.5, -1}}))
	for _, q := range []choice.Question{{1, 2, 3}, {1, 3}, {1, 2, 3, 3}} {
		tally, plain := choice.NewTally(4), plainPicks{}
		answers := []choice.Answer{{Question: q, Picks: []int{1}}, {Question: choice.Question{0, 1}, Picks: []int{0}}}
		for _, a := range answers {
			if err := tally.Add(a); err != nil {
				t.Fatal(err)
			}
			var options [][]float64
			for _, arm := range a.Question {
				options = append(options, c.Arm(arm))
			}
			plain = plain.withRanking(options, a.Picks, 1)
		}
		compareWithTwin(t, twin{likelihood: choice.NewLinear(c, tally), plain: plain}, []float64{1, 0.5})
	}
}

// TestRecordsAgreeWithLinear fits the same picks once as tasks with features of
// their own and once as answers about a catalogue.
func TestRecordsAgreeWithLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	c := randomCatalogue(t, rng, 9, 3)
	theta := randomVector(rng, 3, 1)
	tally := choice.NewTally(9)
	var cells []float64
	var sizes, ranks []int
	for range 600 {
		q := choice.Question(rng.Perm(9)[:2+rng.IntN(4)])
		picks := choice.SampleRanking(rng, c.Utilities(nil, q, theta), 1+rng.IntN(len(q)))
		if err := tally.Add(choice.Answer{Question: q, Picks: picks}); err != nil {
			t.Fatal(err)
		}
		rank := make([]int, len(q))
		for at, slot := range picks {
			rank[slot] = at + 1
		}
		for _, arm := range q {
			cells = append(cells, c.Arm(arm)...)
		}
		sizes, ranks = append(sizes, len(q)), append(ranks, rank...)
	}
	records := must(choice.NewRecords(c.Features(), cells, sizes, ranks))
	var estimator choice.Estimator
	a := mustEstimate(t, estimator, records)
	b := mustEstimate(t, estimator, choice.NewLinear(c, tally))
	approx.EqualSlices(t, "θ", a.Theta, b.Theta, 1e-7)
	approx.EqualSlices(t, "standard errors", choice.StandardErrors(a.Covariance), choice.StandardErrors(b.Covariance), 1e-7)
	approx.EqualRelative(t, "log-likelihood", a.LogLikelihood, b.LogLikelihood, 1e-12)
	approx.EqualRelative(t, "equal shares", a.NullLogLikelihood, b.NullLogLikelihood, 1e-12)
}

// TestLargeOffsetsDoNoHarm: softmax cannot see a common shift of the features, and
// neither may the derivatives, beyond the rounding of the shifted features
// themselves: 1e6 is exact to 1e-10.
func TestLargeOffsetsDoNoHarm(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, n := range []int{6, 300} {
		plain := randomCatalogue(t, rng, n, 3)
		rows, ids := make([][]float64, n), make([]string, n)
		for i := range rows {
			ids[i] = plain.ID(i)
			for _, x := range plain.Arm(i) {
				rows[i] = append(rows[i], x+1e6)
			}
		}
		shifted := must(choice.NewCatalogue(ids, plain.Features(), rows))
		tally := choice.NewTally(n)
		for range 200 {
			addSampled(t, rng, tally, plain, choice.Question(rng.Perm(n)[:3]), []float64{1, -1, 0.5})
		}
		var estimator choice.Estimator
		a := mustEstimate(t, estimator, choice.NewLinear(plain, tally))
		b := mustEstimate(t, estimator, choice.NewLinear(shifted, tally))
		approx.EqualSlices(t, "θ", b.Theta, a.Theta, 1e-6)
		approx.EqualSlices(t, "standard errors", choice.StandardErrors(b.Covariance), choice.StandardErrors(a.Covariance), 1e-6)
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for _, twin := range twins(t, rng) {
		d := len(twin.likelihood.Names())
		for name, misuse := range map[string]func(){
			"short θ":           func() { twin.likelihood.LogLikelihood(make([]float64, d-1)) },
			"small information": func() { twin.likelihood.Derivatives(make([]float64, d), make([]float64, d), mat.NewSymDense(d-1, nil)) },
			"long start":        func() { _, _ = new(choice.Estimator).Fit(twin.likelihood, make([]float64, d+1)) },
			"start not a number": func() {
				start := make([]float64, d)
				start[0] = math.NaN()
				_, _ = new(choice.Estimator).Fit(twin.likelihood, start)
			},
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s did not panic", twin.name, name)
					}
				}()
				misuse()
			}()
		}
	}
}

func TestProbabilitiesAtExtremeUtilities(t *testing.T) {
	for _, utilities := range [][]float64{
		{1e4, -1e4}, {-1e4, -1e4, -1e4}, {1e4, 1e4 - 1, 0}, {1e4, 1e4, 1e4, -1e4}, {0, 0},
	} {
		p := choice.Probabilities(nil, utilities)
		sum := 0.0
		for _, x := range p {
			sum += x
		}
		approx.Equal(t, "sum of probabilities", sum, 1, 1e-15)
	}
	p := choice.Probabilities(nil, []float64{1e4, 1e4 - 1, -1e4})
	approx.EqualRelative(t, "odds one apart", p[0]/p[1], math.E, 1e-14)
	approx.Equal(t, "hopeless arm", p[2], 0, 0)
	approx.Equal(t, "LogSumExp", choice.LogSumExp([]float64{-1e4, -1e4}), -1e4+math.Ln2, 1e-11)
}

func TestProbabilitiesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		utilities := rapid.SliceOfN(rapid.Float64Range(-1e4, 1e4), 2, 12).Draw(t, "utilities")
		shift := rapid.Float64Range(-1e4, 1e4).Draw(t, "shift")
		p := choice.Probabilities(nil, utilities)
		total := 0.0
		shifted := make([]float64, len(utilities))
		for i, x := range p {
			if !(x >= 0 && x <= 1) {
				t.Fatalf("probability %v", x)
			}
			total += x
			shifted[i] = utilities[i] + shift
			// log p_i = u_i − log Σ exp u, wherever p_i can be told from zero;
			// both sides are exact to a few rounding errors of 1e4.
			if x > 1e-300 {
				approx.Equal(t, "log p", math.Log(x), utilities[i]-choice.LogSumExp(utilities), 1e-10)
			}
		}
		approx.Equal(t, "sum of probabilities", total, 1, 1e-14)
		// Adding the shift rounds utilities of up to 2e4 to 4e-12.
		approx.EqualSlices(t, "probabilities after a shift", choice.Probabilities(nil, shifted), p, 2e-11)
	})
}

func TestProbabilitiesInPlace(t *testing.T) {
	u := []float64{1, 2, 3}
	want := choice.Probabilities(nil, u)
	approx.EqualSlices(t, "in place", choice.Probabilities(u, u), want, 0)
}
