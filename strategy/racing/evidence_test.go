package racing_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/evidence"
	"bestpick/internal/approx"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// total is M(θ) with the cash of the best arm's duels and tilts, 0.3 less what is at work, or 0.6 where
// arms have tilts. Capital leaves it out.
func total(t *testing.T, r racing.Race, c *choice.Catalogue, theta []float64) float64 {
	t.Helper()
	state := savedState(t, r)
	best := 0
	for a := range c.Len() {
		if c.Utility(a, theta) > c.Utility(best, theta) {
			best = a
		}
	}
	cash := 0.3
	if c.Len()-1 >= 3*c.Dim() {
		cash = 0.6
	}
	for _, tilt := range state.tilts {
		for _, start := range tilt.Starts {
			if tilt.Arm == best {
				cash -= start.Weight
			}
		}
	}
	for _, d := range state.Duels.List {
		if d.Arm == best {
			cash -= d.Weight
		}
	}
	if state.Duels.Closed {
		cash = 0
	}
	return math.Exp(capital(t, r, theta)) + cash
}

// saved is the part of a snapshot that the tests read.
type saved struct {
	Duels struct {
		List   []evidence.Duel `json:"list"`
		Closed bool            `json:"closed"`
	} `json:"duels"`
	Direct bool `json:"direct"`

	tilts []evidence.Tilt
}

func savedState(t *testing.T, r racing.Race) saved {
	t.Helper()
	data := must(r.Snapshot())
	var s struct {
		State struct {
			State saved               `json:"state"`
			Tilts evidence.TiltsState `json:"tilts"`
		} `json:"state"`
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	s.State.State.tilts = s.State.Tilts.List
	return s.State.State
}

// orders are all rankings of the first m of k slots.
func orders(k, m int) [][]int {
	if m == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, o := range orders(k, m-1) {
		for s := range k {
			if !slices.Contains(o, s) {
				all = append(all, append(slices.Clone(o), s))
			}
		}
	}
	return all
}

// A martingale test lets respondents answer a race. Whatever θ is, the capital after an answer is on average,
// over all answers by their probability under θ, what it was before.
type martingale struct {
	race        racing.Race
	catalogue   *choice.Catalogue
	respondent  crowd.Respondent
	width       int // of θ
	picks       int
	total       func(r racing.Race, theta []float64) float64
	outcomes    [][]int // all picks in an answer
	probability func(q choice.Question, theta []float64, picks []int) float64
}

// check compares the averages from time to time, and returns how often.
func (m martingale) check(t *testing.T, answers int, rng *rand.Rand) (checked int) {
	t.Helper()
	for i := range answers {
		q, err := m.race.Ask()
		if err != nil {
			break
		}
		theta := make([]float64, m.width)
		for k := range theta {
			theta[k] = rng.NormFloat64()
		}
		if before := m.total(m.race, theta); i%10 == 9 && before < 1e100 {
			checked++
			mean, sum := 0.0, 0.0
			data := must(m.race.Snapshot())
			for _, picks := range m.outcomes {
				told := must(racing.Restore(m.catalogue, data))
				if err := told.Tell(choice.Answer{Question: q, Picks: picks}); err != nil {
					t.Fatal(err)
				}
				p := m.probability(q, theta, picks)
				mean, sum = mean+p*m.total(told, theta), sum+p
			}
			approx.Equal(t, "all probabilities", sum, 1, 1e-12)
			approx.EqualRelative(t, "the capital on average", mean, before, 1e-6)
		}
		if err := m.race.Tell(choice.Answer{Question: q, Picks: m.respondent.Pick(q, m.picks)}); err != nil {
			t.Fatal(err)
		}
	}
	return checked
}

// rankedWith returns the probability of a ranking by the utilities of a catalogue.
func rankedWith(c *choice.Catalogue) func(q choice.Question, theta []float64, picks []int) float64 {
	return func(q choice.Question, theta []float64, picks []int) float64 {
		p := 1.0
		for n, slot := range picks {
			sum := 0.0
			for s, arm := range q {
				if !slices.Contains(picks[:n], s) {
					sum += math.Exp(c.Utility(arm, theta))
				}
			}
			p *= math.Exp(c.Utility(q[slot], theta)) / sum
		}
		return p
	}
}

// randomRows returns n random arms with two features.
func randomRows(rng *rand.Rand, n int) (rows [][]float64) {
	for range n {
		rows = append(rows, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	return rows
}

// TestCapitalIsAMartingale: with one to three picks, and with tilts.
func TestCapitalIsAMartingale(t *testing.T) {
	step := uint64(racing.Fewer + 1 - 1/racing.Fewer) // runs 0, 5, 10 and 15: one to three picks, and tilts
	for run := uint64(0); run < 16; run += step {
		rng := rand.New(rand.NewPCG(run, 4))
		arms, picks := 5, 1+int(run%3)
		if run >= 12 {
			arms = 8 // enough for tilts
		}
		c := catalogue(t, randomRows(rng, arms)...)
		truth := []float64{rng.NormFloat64(), rng.NormFloat64()}
		r := must(racing.New(c, racing.Settings{K: 3, Delta: 1e-6, Seed: run}))
		approx.Equal(t, "the capital at the start", total(t, r, c, truth), 1, 1e-9)
		martingale{
			race: r, catalogue: c, respondent: crowd.NewMNL(c, truth, rng), width: 2, picks: picks,
			total:    func(r racing.Race, theta []float64) float64 { return total(t, r, c, theta) },
			outcomes: orders(3, picks), probability: rankedWith(c),
		}.check(t, 150, rng)
	}
}

// TestCapitalUnderOffersIsAMartingale: with all offers.
func TestCapitalUnderOffersIsAMartingale(t *testing.T) {
	for run, offer := range offers() {
		rng := rand.New(rand.NewPCG(uint64(run), 9))
		c := catalogue(t, randomRows(rng, 5)...)
		truth := []float64{rng.NormFloat64(), rng.NormFloat64()}
		martingale{
			race:      must(racing.New(c, racing.Settings{K: 3, Delta: 1e-6, Seed: uint64(run), Offer: offer})),
			catalogue: c, width: choice.NewAlternatives(c, offer).Rows().Dim(), picks: 1,
			respondent: crowd.NewOffered(offer, crowd.Constants{Outside: 0.3, Tie: -0.5},
				func(arm int) float64 { return c.Utility(arm, truth) }, rng),
			total:    func(r racing.Race, theta []float64) float64 { return total(t, r, c, theta) },
			outcomes: answersTo(offer, 3),
			probability: func(q choice.Question, theta []float64, picks []int) float64 {
				return probability(offer, c.Utilities(nil, q, theta[:2]), theta[2:], picks)
			},
		}.check(t, 200, rng)
	}
}

// TestCapitalOfAProductIsAMartingale: the capital against all best options together, with what
// is not at work.
func TestCapitalOfAProductIsAMartingale(t *testing.T) {
	in := productOf(t, 3, 2, 3)
	p := in.Catalogue.Product()
	all := func(r racing.Race, theta []float64) float64 {
		best := p.Best(p.Utilities(theta))
		cash := 0.3
		for _, d := range savedState(t, r).Duels.List {
			group, _ := p.OptionAt(d.Arm)
			if d.Arm == p.OptionNumber(best, group) {
				cash -= d.Weight
			}
		}
		return math.Exp(capital(t, r, theta)) + cash
	}
	checked, duels := 0, 0
	for run := range uint64(3) {
		rng := rand.New(rand.NewPCG(run, 4))
		r := must(racing.New(in.Catalogue, racing.Settings{K: 3, Delta: 1e-9, Seed: run}))
		approx.Equal(t, "the capital at the start", all(r, in.Theta), 1, 1e-9)
		checked += martingale{
			race: r, catalogue: in.Catalogue, respondent: crowd.NewMNL(in.Catalogue, in.Theta, rng), width: len(in.Theta), picks: 1,
			total: all, outcomes: orders(3, 1), probability: rankedWith(in.Catalogue),
		}.check(t, 200, rng)
		duels += len(savedState(t, r).Duels.List)
	}
	if checked < 30 || duels < 6 {
		t.Errorf("%d looks, %d duels", checked, duels)
	}
}

// TestEliminatedByDefinition: when an arm goes from the contenders, every θ of a grid under which
// it is best, and better than the leader by ε, has a capital of 1/δ.
func TestEliminatedByDefinition(t *testing.T) {
	const delta = 0.2
	gone := 0
	step := uint64(2*racing.Fewer - 1) // odd, so that all settings occur
	for run := uint64(0); run < 140; run += step {
		rng := rand.New(rand.NewPCG(run, 4))
		arms := 4
		if run >= 120 {
			arms = 7 // enough for tilts
		}
		c := catalogue(t, randomRows(rng, arms)...)
		epsilon, k, picks := []float64{0, 0.4}[run%2], 2+int(run/2)%2, 1+int(run/4)%2
		r := must(racing.New(c, racing.Settings{K: k, Delta: delta, Epsilon: epsilon, Seed: run, LookEvery: -1}))
		respondent := crowd.NewMNL(c, []float64{rng.NormFloat64(), rng.NormFloat64()}, rng)
		left := -1 // withdrawn
		for i := range 400 {
			before := r.Verdict()
			changed := i == 60 && run%3 == 0 && k == 2
			if changed { // every arm has to be refuted anew
				left = (before.Leader + int(run/3)%2) % arms
				if err := r.Withdraw(left); err != nil {
					t.Fatal(err)
				}
			} else if !racing.AnswerOne(t, r, respondent, min(picks, k-1)) {
				break
			}
			after := r.Verdict()
			for j := range arms {
				was := changed || before.Leader != after.Leader || slices.Contains(before.Contenders, j)
				if !was || j == left || slices.Contains(after.Contenders, j) {
					continue
				}
				gone++
				least := math.Inf(1)
				for x := -8.0; x <= 8; x += 0.25 {
					for y := -8.0; y <= 8; y += 0.25 {
						theta := []float64{x, y}
						u := c.Utility(j, theta)
						best := u-c.Utility(after.Leader, theta) >= epsilon
						for a := range arms {
							best = best && (a == j || c.Utility(a, theta) < u)
						}
						if best {
							least = min(least, capital(t, r, theta))
						}
					}
				}
				if !(least >= math.Log(1/delta)) {
					t.Errorf("run %d, %d: arm %d is eliminated with a capital of exp %v", run, i, j, least)
				}
			}
		}
	}
	if gone < 100/(2*racing.Fewer-1) {
		t.Errorf("only %d arms were eliminated", gone)
	}
}

// capital is [racing.Linear.Capital] of a race that must be linear.
func capital(tb testing.TB, r racing.Race, theta []float64) float64 {
	tb.Helper()
	linear, ok := r.(*racing.Linear)
	if !ok {
		tb.Fatalf("%T is not linear", r)
	}
	return linear.Capital(theta)
}

// leaderboard returns the leaderboard of a race, nil if it has none.
func leaderboard(r racing.Race) []strategy.Rank {
	ranked, ok := r.(interface{ Leaderboard() []strategy.Rank })
	if !ok {
		return nil
	}
	return ranked.Leaderboard()
}

// certifiedEpsilon returns the smallest ε that a race certifies, if it states one.
func certifiedEpsilon(r racing.Race) (epsilon float64, ok bool) {
	certified, ok := r.(interface{ CertifiedEpsilon() (float64, bool) })
	if !ok {
		return 0, false
	}
	return certified.CertifiedEpsilon()
}
