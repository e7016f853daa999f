package evidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bestpick/internal/approx"
)

// TestStrataBound: after random answers of two groups, the bound is at most the least capital over a fine grid of the
// shares of the groups, without the largest factors, at every prefix of the arrivals, and not far below it at the end.
// With one group it is that of its share. In a random sequence of settlements it is the same.
func TestStrataBound(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 9))
		fakes := int(seed % 3)
		by := Stratification{Weights: []float64{0.3, 0.7}, Levels: Levels(0.05, fakes), Cells: Cells(fakes)}
		s, often := by.NewStrata(), by.NewStrata()
		var bets [2][]Bet
		least, last := math.Inf(-1), 0.0
		for arrival := 1; arrival <= 60; arrival++ {
			g := rng.IntN(2)
			b := Bet{Arrival: arrival, Cards: 1, Shown: 1, Ended: true, Chosen: 0.3, Variance: 0.2}
			b.Nominee = 1
			if rng.Float64() < 0.3 {
				b.Nominee, b.Rival = 0, 1
			}
			bets[g] = append(bets[g], b)
			s.Groups[g].Place(b)
			often.Groups[g].Place(b)
			if rng.IntN(4) == 0 {
				often.Settle(by, 0.5, rng.IntN(arrival+1))
			}
			last = math.Log(0.5) + leastOnGrid(bets, by, fakes)
			least = max(least, last)
		}
		s.Settle(by, 0.5, 60)
		often.Settle(by, 0.5, 60)
		if got := s.Highest[0]; !(got <= least+1e-9) || !(got >= last-0.5-0.1*max(last, -last)) {
			t.Errorf("seed %d: the bound is %v, the least capital %v, at the end %v", seed, got, least, last)
		}
		approx.Equal(t, "settled often", often.Highest[0], s.Highest[0], 1e-9)
		for i, level := range by.Levels {
			if level.IsPlain() && level.Share < by.Levels[0].Share && s.Highest[i] > s.Highest[0]+1e-9 {
				t.Errorf("%v is refuted more than %v", level.Share, by.Levels[0].Share)
			}
		}
	}
}

// leastOnGrid returns the least log capital over shares of two groups whose weighted mean is at least p₀.
func leastOnGrid(bets [2][]Bet, by Stratification, fakes int) float64 {
	least := math.Inf(1)
	const points = 200
	for i := range points + 1 {
		first := float64(i) / points
		second := (by.Levels[0].Share - by.Weights[0]*first) / by.Weights[1]
		if second > 1 {
			continue
		}
		var logs []float64
		for g, share := range []float64{first, max(second, 0)} {
			cell := min(math.Floor(share*cells), cells-1)
			for _, b := range bets[g] {
				at := Level{Share: share, Below: share - cell*cellWidth, Predicted: true}
				logs = append(logs, math.Log1p(b.stakeAt(at)*b.Payoff(at)))
			}
		}
		slices.Sort(logs)
		sum := 0.0
		for j, log := range logs {
			if j < len(logs)-fakes || log < 0 {
				sum += log
			}
		}
		least = min(least, sum)
	}
	return least
}
