package crowd_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/approx"
)

func catalogue(t *testing.T) *choice.Catalogue {
	t.Helper()
	return must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {0.5, -1}}))
}

const draws = 200_000

// tolerance is five standard errors of a share over the draws, √(¼/200,000) each.
const tolerance = 0.0056

// shares returns how often each slot came first.
func shares(r crowd.Respondent, q choice.Question) []float64 {
	counts := make([]float64, len(q))
	for range draws {
		counts[r.Pick(q, 1)[0]] += 1. / draws
	}
	return counts
}

func TestMNLFollowsSoftmax(t *testing.T) {
	c, theta, q := catalogue(t), []float64{1, -0.5}, choice.Question{2, 0, 1}
	got := shares(crowd.NewMNL(c, theta, rand.New(rand.NewPCG(1, 2))), q)
	approx.EqualSlices(t, "shares", got, choice.Probabilities(nil, c.Utilities(nil, q, theta)), tolerance)
}

// TestGaussianFollowsProbit: of two arms the first wins with Φ(Δ/(σ√2)).
func TestGaussianFollowsProbit(t *testing.T) {
	c, theta, q := catalogue(t), []float64{1, -0.5}, choice.Question{0, 1}
	for _, sigma := range []float64{0.5, 1, 3} {
		r := crowd.NewRandomUtility(c, theta, crowd.Gaussian(sigma), rand.New(rand.NewPCG(3, 4)))
		want := 0.5 * math.Erfc(-1.5/(2*sigma))
		approx.Equal(t, fmt.Sprint("σ = ", sigma), shares(r, q)[0], want, tolerance)
	}
}

func TestDeviants(t *testing.T) {
	c, theta, q := catalogue(t), []float64{1, -0.5}, choice.Question{0, 1, 2}
	softmax := choice.Probabilities(nil, c.Utilities(nil, q, theta))
	mnl := func(seed uint64, theta ...float64) crowd.Respondent {
		return crowd.NewMNL(c, theta, rand.New(rand.NewPCG(seed, 5)))
	}
	inattentive := &crowd.Inattentive{Share: 0.3, Other: mnl(1, theta...), Rng: rand.New(rand.NewPCG(6, 6))}
	for slot, share := range shares(inattentive, q) {
		approx.Equal(t, "inattentive", share, 0.7*softmax[slot]+0.1, tolerance)
	}
	bias := []float64{0.5, 0, -0.5}
	biased := &crowd.Adjusted{
		Catalogue: c, Theta: theta, Adjust: crowd.FavourSlots(bias...), Noise: crowd.Gumbel,
		Rng: rand.New(rand.NewPCG(7, 7)),
	}
	utilities := c.Utilities(nil, q, theta)
	for slot := range utilities {
		utilities[slot] += bias[slot]
	}
	approx.EqualSlices(t, "biased", shares(biased, q), choice.Probabilities(nil, utilities), tolerance)
}

// TestDecoy: the target gains when the decoy is there, and only then.
func TestDecoy(t *testing.T) {
	c, theta := catalogue(t), []float64{1, -0.5}
	decoyed := &crowd.Adjusted{
		Catalogue: c, Theta: theta, Adjust: crowd.Decoyed(0, 2, 0.7), Noise: crowd.Gumbel,
		Rng: rand.New(rand.NewPCG(9, 7)),
	}
	for _, q := range []choice.Question{{0, 1}, {1, 0, 2}} {
		utilities := c.Utilities(nil, q, theta)
		if len(q) == 3 {
			utilities[1] += 0.7
		}
		approx.EqualSlices(t, "shares", shares(decoyed, q), choice.Probabilities(nil, utilities), tolerance)
	}
}

// TestPeopleTakeTurns: each answers as many questions as they should, under their own name,
// and a crowd that changes does so when it should.
func TestPeopleTakeTurns(t *testing.T) {
	always := func(slot int) crowd.Respondent { return fixed(slot) }
	people := &crowd.People{Each: 2, Join: func(n, _ int) crowd.Respondent { return always(n) }}
	changing := &crowd.Changing{Before: always(0), After: always(1), At: 3}
	for i := range 6 {
		if got := people.Pick(choice.Question{0, 1, 2}, 1)[0]; got != i/2 || people.Name() != fmt.Sprint("r", i/2+1) {
			t.Errorf("answer %d is %d by %s", i, got, people.Name())
		}
		if got := changing.Pick(choice.Question{0, 1, 2}, 1)[0]; got != i/3 {
			t.Errorf("answer %d of a changing crowd is %d", i, got)
		}
	}
}

// TestSegments: people are drawn from all of them, and answer as theirs do. With 2,000 people a
// share of one half has a standard error of 0.011.
func TestSegments(t *testing.T) {
	people := &crowd.People{
		Each: 3, Segments: []string{"a", "b"}, Rng: rand.New(rand.NewPCG(3, 3)),
		Join: func(_, segment int) crowd.Respondent { return fixed(segment) },
	}
	first := 0.0
	for range 6000 {
		answer := crowd.Answer(people, choice.Question{0, 1, 2}, 1)
		if want := []string{"a", "b"}[answer.Picks[0]]; answer.Segment != want || answer.Respondent != people.Name() {
			t.Fatalf("%+v", answer)
		}
		if answer.Segment == "a" {
			first++
		}
	}
	approx.Equal(t, "share", first/6000, 0.5, 0.055)
}

// fixed picks the same slot always.
type fixed int

func (f fixed) Pick(choice.Question, int) []int { return []int{int(f)} }

// TestRankings: every crowd ranks distinct slots, as many as asked for.
func TestRankings(t *testing.T) {
	c, theta, q := catalogue(t), []float64{1, -0.5}, choice.Question{0, 1, 2, 0}
	rng := rand.New(rand.NewPCG(9, 9))
	mnl := crowd.NewMNL(c, theta, rng)
	for _, r := range []crowd.Respondent{
		mnl,
		&crowd.Inattentive{Share: 1, Other: mnl, Rng: rng},
		&crowd.Adjusted{Catalogue: c, Theta: theta, Adjust: crowd.FavourArm(1, 2), Noise: crowd.Gaussian(1), Rng: rng},
		&crowd.People{Each: 2, Join: func(int, int) crowd.Respondent { return mnl }},
		&crowd.Changing{Before: mnl, After: mnl, At: 1},
	} {
		for picks := 1; picks <= 4; picks++ {
			if err := (choice.Answer{Question: q, Picks: r.Pick(q, picks)}).Check(3); err != nil || len(r.Pick(q, picks)) != picks {
				t.Errorf("%T: %v", r, err)
			}
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

// TestOfferedFollowsTheModel: each answer is as frequent as its likelihood. With 100,000 answers a share
// has a standard error of at most 0.0016; five of them, for about 40 comparisons, are 0.008.
func TestOfferedFollowsTheModel(t *testing.T) {
	const draws = 100_000
	c := must(choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x"}, [][]float64{{0}, {1}, {-0.5}}))
	constants := crowd.Constants{Outside: 0.4, Tie: -0.3}
	q := choice.Question{2, 0, 1}
	for _, o := range []choice.Offer{
		{Outside: true},
		{Ties: true},
		{BestWorst: true},
		{Outside: true, Ties: true, BestWorst: true},
	} {
		rng := rand.New(rand.NewPCG(1, 5))
		respondent := crowd.NewOffered(o, constants, func(arm int) float64 { return c.Utility(arm, []float64{1}) }, rng)
		counts, answers := map[string]float64{}, map[string]choice.Answer{}
		for range draws {
			a := crowd.Answer(respondent, q, 1)
			if err := o.Check(a, 3); err != nil {
				t.Fatal(err)
			}
			key := fmt.Sprint(a.Picks)
			counts[key]++
			if _, known := answers[key]; !known {
				answers[key] = choice.Answer{Question: q, Picks: append([]int(nil), a.Picks...)}
			}
		}
		theta := []float64{1}
		if o.Outside {
			theta = append(theta, constants.Outside)
		}
		if o.Ties {
			theta = append(theta, constants.Tie)
		}
		x, sum := choice.NewAlternatives(c, o), 0.0
		for key, a := range answers {
			tally := choice.NewTally(x.Rows().Len())
			if err := x.Count(tally, a); err != nil {
				t.Fatal(err)
			}
			p := math.Exp(choice.NewLinear(x.Rows(), tally).LogLikelihood(theta))
			approx.Equal(t, fmt.Sprintf("%+v: %s", o, key), counts[key]/draws, p, 0.008)
			sum += p
		}
		approx.Equal(t, "all answers", sum, 1, 1e-12)
	}
}
