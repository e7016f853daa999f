package choice_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/internal/approx"
)

// plainPicks is the brute-force twin of every Likelihood: a list of single picks,
// gone through one by one with the formulas as they stand in the doc comments.
type plainPicks []plainPick

type plainPick struct {
	options [][]float64 // features of each option on offer
	pick    int
	weight  float64
}

// withRanking expands a ranking by hand: each pick from what is left.
func (p plainPicks) withRanking(options [][]float64, picks []int, weight float64) plainPicks {
	left := make([]int, len(options))
	for i := range left {
		left[i] = i
	}
	for _, pick := range picks {
		if !slices.ContainsFunc(left, func(i int) bool { return !slices.Equal(options[i], options[pick]) }) {
			break // nothing left to choose between
		}
		one := plainPick{weight: weight, pick: slices.Index(left, pick)}
		for _, i := range left {
			one.options = append(one.options, options[i])
		}
		p = append(p, one)
		left = slices.Delete(left, one.pick, one.pick+1)
	}
	return p
}

func (p plainPicks) evaluate(theta []float64) (value float64, gradient []float64, information *mat.SymDense) {
	d := len(theta)
	gradient, information = make([]float64, d), mat.NewSymDense(d, nil)
	for _, one := range p {
		utilities := make([]float64, len(one.options))
		for i, x := range one.options {
			for k := range x {
				utilities[i] += x[k] * theta[k]
			}
		}
		value += one.weight * (utilities[one.pick] - choice.LogSumExp(utilities))
		share := choice.Probabilities(nil, utilities)
		mean := make([]float64, d)
		for i, x := range one.options {
			for k := range x {
				mean[k] += share[i] * x[k]
			}
		}
		for k := range d {
			gradient[k] += one.weight * (one.options[one.pick][k] - mean[k])
			for l := k; l < d; l++ {
				covariance := 0.0
				for i, x := range one.options {
					covariance += share[i] * (x[k] - mean[k]) * (x[l] - mean[l])
				}
				information.SetSym(k, l, information.At(k, l)+one.weight*covariance)
			}
		}
	}
	return value, gradient, information
}

// margins returns the range of the relative margins, and the widest absolute one.
func (p plainPicks) margins(v []float64) (least, greatest, widest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	for _, one := range p {
		for i, x := range one.options {
			if i == one.pick {
				continue
			}
			margin, moved := 0.0, 0.0
			for k := range v {
				part := (one.options[one.pick][k] - x[k]) * v[k]
				margin += part
				moved += max(part, -part)
			}
			widest = max(widest, margin, -margin)
			if moved > 0 {
				margin /= moved
			}
			least, greatest = min(least, margin), max(greatest, margin)
		}
	}
	return least, greatest, widest
}

func (p plainPicks) equalShares() (value float64) {
	for _, one := range p {
		value -= one.weight * math.Log(float64(len(one.options)))
	}
	return value
}

func (p plainPicks) total() (weight float64) {
	for _, one := range p {
		weight += one.weight
	}
	return weight
}

// A twin is a likelihood with its brute-force twin. slack is what its information
// has on top of the twin's, in every cell: c of Free, zero elsewhere.
type twin struct {
	name       string
	likelihood choice.Likelihood
	plain      plainPicks
	slack      float64
}

// twins makes one of each kind of likelihood from random data.
func twins(t testing.TB, rng *rand.Rand) []twin {
	t.Helper()
	return []twin{
		linearTwin(t, rng, "linear through the arms", 6, 4, 120),
		linearTwin(t, rng, "linear question by question", 400, 3, 60),
		freeTwin(t, rng, 7, 150),
		recordsTwin(t, rng, "picks", 4, 700, 1),
		recordsTwin(t, rng, "rankings", 3, 90, 4),
		weightedTwin(t, rng, "rankings", 3, 90, 4),
		offerTwin(t, rng, "none", choice.Offer{Outside: true}),
		offerTwin(t, rng, "ties", choice.Offer{Ties: true}),
		offerTwin(t, rng, "best and worst", choice.Offer{BestWorst: true}),
		offerTwin(t, rng, "all offers", choice.Offer{Outside: true, Ties: true, BestWorst: true}),
	}
}

// randomAnswer asks about 2 to 5 of n arms, repeats allowed, and ranks some.
func randomAnswer(rng *rand.Rand, n int) choice.Answer {
	for {
		q := make(choice.Question, 2+rng.IntN(4))
		for i := range q {
			q[i] = rng.IntN(n)
		}
		if q.Check(n) == nil {
			return choice.Answer{Question: q, Picks: rng.Perm(len(q))[:1+rng.IntN(len(q))]}
		}
	}
}

func linearTwin(t testing.TB, rng *rand.Rand, name string, n, d, answers int) twin {
	t.Helper()
	c := randomCatalogue(t, rng, n, d)
	tally, plain := randomTally(t, rng, n, answers, func(arm int) []float64 { return c.Arm(arm) })
	return twin{name: name, likelihood: choice.NewLinear(c, tally), plain: plain}
}

func freeTwin(t testing.TB, rng *rand.Rand, n, answers int) twin {
	t.Helper()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = string(rune('a' + i))
	}
	tally, plain := randomTally(t, rng, n, answers, func(arm int) []float64 {
		indicator := make([]float64, n)
		indicator[arm] = 1
		return indicator
	})
	return twin{"free", choice.NewFree(ids, tally), plain, tally.Picks() / float64(n*n)}
}

// randomTally counts random answers of random weights in a tally and in a twin.
func randomTally(t testing.TB, rng *rand.Rand, n, answers int, features func(arm int) []float64) (*choice.Tally, plainPicks) {
	t.Helper()
	tally, plain := choice.NewTally(n), plainPicks{}
	for range answers {
		answer, weight := randomAnswer(rng, n), []float64{1, 1, 0.5, 3}[rng.IntN(4)]
		if err := tally.AddWeighted(answer, weight); err != nil {
			t.Fatal(err)
		}
		var options [][]float64
		for _, arm := range answer.Question {
			options = append(options, features(arm))
		}
		plain = plain.withRanking(options, answer.Picks, weight)
	}
	return tally, plain
}

func recordsTwin(t testing.TB, rng *rand.Rand, name string, d, tasks, maxDepth int) twin {
	t.Helper()
	return randomRecords(t, rng, name, d, tasks, maxDepth, func() float64 { return 1 })
}

// weightedTwin returns records whose tasks have weights.
func weightedTwin(t testing.TB, rng *rand.Rand, name string, d, tasks, maxDepth int) twin {
	t.Helper()
	var weights []float64
	one := randomRecords(t, rng, "weighted "+name, d, tasks, maxDepth, func() float64 {
		weights = append(weights, 0.1+3*rng.Float64())
		return weights[len(weights)-1]
	})
	records, _ := one.likelihood.(*choice.Records)
	one.likelihood = records.Weighted(weights)
	return one
}

// randomRecords returns records without weights, and their twin with them.
func randomRecords(t testing.TB, rng *rand.Rand, name string, d, tasks, maxDepth int, weight func() float64) twin {
	t.Helper()
	var plain plainPicks
	var cells []float64
	var sizes, ranks []int
	for range tasks {
		size := 2 + rng.IntN(5)
		options := make([][]float64, size)
		for i := range options {
			options[i] = randomVector(rng, d, 1)
			cells = append(cells, options[i]...)
		}
		picks := rng.Perm(size)[:1+rng.IntN(min(maxDepth, size))]
		rank := make([]int, size)
		for at, i := range picks {
			rank[i] = at + 1
		}
		sizes, ranks = append(sizes, size), append(ranks, rank...)
		plain = plain.withRanking(options, picks, weight())
	}
	names := make([]string, d)
	for k := range names {
		names[k] = string(rune('p' + k))
	}
	records := must(choice.NewRecords(names, cells, sizes, ranks))
	return twin{name: "records of " + name, likelihood: records, plain: plain}
}

// TestWhiten: centred, uncorrelated, of mean square one, with as many coordinates as the
// differences span, copies still copies, and every difference of utilities still there.
func TestWhiten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows, ids := make([][]float64, 9), make([]string, 9)
	for i := range rows {
		ids[i] = string(rune('a' + i))
		x, y := rng.NormFloat64(), 1e6*rng.NormFloat64()
		rows[i] = []float64{x, y, 2*x + y/1e6, 7} // two dimensions, and a constant
	}
	rows[8] = slices.Clone(rows[3])
	c := must(choice.NewCatalogue(ids, []string{"x", "y", "z", "one"}, rows))
	w := must(choice.Whiten(c))
	if w.Len() != 9 || w.Dim() != 2 || w.ID(4) != "e" {
		t.Fatalf("%d arms, %d coordinates", w.Len(), w.Dim())
	}
	if !slices.Equal(w.Arm(3), w.Arm(8)) {
		t.Error("a copy is no copy any more")
	}
	for k := range 2 {
		for l := range 2 {
			mean, product := 0.0, 0.0
			for i := range 9 {
				mean += w.Arm(i)[k] / 9
				product += w.Arm(i)[k] * w.Arm(i)[l] / 9
			}
			approx.Equal(t, "mean", mean, 0, 1e-12)
			want := 0.0
			if k == l {
				want = 1
			}
			approx.Equal(t, "product", product, want, 1e-12)
		}
	}
	theta := []float64{1, 2e-6, -0.5, 3}
	white := make([]float64, 2)
	for i := range 9 {
		for k := range white {
			white[k] += w.Arm(i)[k] * c.Utility(i, theta) / 9
		}
	}
	for i := range 9 {
		approx.Equal(t, "difference", w.Utility(i, white)-w.Utility(0, white), c.Utility(i, theta)-c.Utility(0, theta), 1e-9)
	}
	same := must(choice.NewCatalogue([]string{"a", "b"}, []string{"x"}, [][]float64{{1}, {1}}))
	if _, err := choice.Whiten(same); !errors.Is(err, choice.ErrNoDifference) {
		t.Errorf("arms without difference: %v", err)
	}
}

// TestWhitenConstants: a feature that is the same for all arms is no coordinate, however its
// mean is rounded.
func TestWhitenConstants(t *testing.T) {
	for n := 2; n <= 24; n++ {
		for _, constant := range []float64{0.1, 1, 7, -1e6 / 3} {
			rows, ids := make([][]float64, n), make([]string, n)
			for i := range rows {
				ids[i], rows[i] = string(rune('a'+i)), []float64{float64(i), constant}
			}
			c := must(choice.NewCatalogue(ids, []string{"x", "one"}, rows))
			if w, err := choice.Whiten(c); err != nil || w.Dim() != 1 {
				t.Errorf("%d arms, constant %v: %d coordinates (%v)", n, constant, w.Dim(), err)
			}
		}
	}
}
