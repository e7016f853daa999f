package racing_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// offers are the offers to test, each alone and all together.
func offers() []choice.Offer {
	return []choice.Offer{{Outside: true}, {BestWorst: true}, {Ties: true}, {Outside: true, BestWorst: true, Ties: true}}
}

// answersTo returns all answers to a question of k arms under an offer.
func answersTo(o choice.Offer, k int) [][]int {
	all := orders(k, 1)
	if o.BestWorst {
		all = orders(k, 2)
	}
	if o.Outside {
		all = append(all, []int{choice.None})
	}
	if o.Ties {
		all = append(all, []int{choice.Tie})
	}
	return all
}

// probability returns the probability of an answer, given the utilities of the arms shown and the
// constants of the offer, by the formulas of the models.
func probability(o choice.Offer, u, constants []float64, picks []int) float64 {
	weights, mean := map[int]float64{}, 0.0
	for slot, x := range u {
		weights[slot] = math.Exp(x)
		mean += x / float64(len(u))
	}
	if o.Outside {
		weights[choice.None] = math.Exp(constants[0])
	}
	if o.Ties {
		weights[choice.Tie] = math.Exp(constants[len(constants)-1] + mean)
	}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	p := weights[picks[0]] / sum
	if len(picks) == 1 {
		return p
	}
	rest := 0.0
	for slot, x := range u {
		if slot != picks[0] {
			rest += math.Exp(-x)
		}
	}
	return p * math.Exp(-u[picks[1]]) / rest
}

// TestOutsideByDefinition: when an arm is stated to be better or worse than none of the arms, every
// θ and constant of a grid under which it is not has a capital of 1/δ.
func TestOutsideByDefinition(t *testing.T) {
	const delta = 0.2
	stated := 0
	for run := range uint64(30) {
		rng := rand.New(rand.NewPCG(run, 10))
		c := catalogue(t, randomRows(rng, 4)...)
		truth := []float64{rng.NormFloat64(), rng.NormFloat64()}
		offer := choice.Offer{Outside: true}
		r := must(racing.New(c, racing.Settings{K: 2, Delta: delta, Seed: run, Offer: offer, LookEvery: -1}))
		constants := crowd.Constants{Outside: []float64{-2, 2}[run%2]}
		respondent := crowd.NewOffered(offer, constants, func(arm int) float64 { return c.Utility(arm, truth) }, rng)
		before := strategy.Outside{}
		for range 150 {
			if !racing.AnswerOne(t, r, respondent, 1) {
				break
			}
			after := r.Verdict().Outside
			for arm := range 4 {
				if before.Decided(arm) || !after.Decided(arm) {
					continue
				}
				stated++
				better := slices.Contains(after.Better, arm)
				least := math.Inf(1)
				for x := -4.0; x <= 4; x += 0.5 {
					for y := -4.0; y <= 4; y += 0.5 {
						for none := -4.0; none <= 4; none += 0.5 {
							theta := []float64{x, y, none}
							if (c.Utility(arm, theta[:2]) > none) != better {
								least = min(least, capital(t, r, theta))
							}
						}
					}
				}
				if !(least >= math.Log(1/delta)) {
					t.Errorf("run %d: arm %d is compared with none at a capital of exp %v", run, arm, least)
				}
			}
			before = after
		}
	}
	if stated < 10 {
		t.Errorf("only %d arms were compared with none", stated)
	}
}

// TestOffersSurviveNewArms: arms can be added and withdrawn under every offer, and the race goes on.
func TestOffersSurviveNewArms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 11))
	rows := randomRows(rng, 9)
	all := catalogue(t, rows...)
	for _, offer := range offers() {
		r := must(racing.New(all.First(6), racing.Settings{K: 3, Delta: 1e-6, Offer: offer}))
		respondent := crowd.NewOffered(offer, crowd.Constants{}, func(arm int) float64 { return rows[arm][0] }, rng)
		for i := range 120 {
			var err error
			switch i {
			case 40:
				err = r.Extend(all)
			case 80:
				err = r.Withdraw(7)
			}
			if err != nil {
				t.Fatal(err)
			}
			racing.AnswerOne(t, r, respondent, 1)
		}
		if theta := r.Theta(); len(theta) != 2 {
			t.Errorf("%+v: θ = %v", offer, theta)
		}
	}
}
