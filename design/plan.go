package design

import (
	"fmt"
	"math"
	"slices"

	"bestpick/choice"
)

// Round turns shares into whole numbers of pulls with sum n, by the efficient apportionment of
// Pukelsheim and Rieder: with m non-zero shares, start from ⌈(n − m/2)·λ_a⌉, then add or remove
// pulls where the change is least. Then pulls_a ≥ (1 − m/n)·n·λ_a for every arm, so the value of
// the design is within a factor 1/(1 − m/n) of that of the shares.
func Round(shares []float64, n int) ([]int, error) {
	support := 0
	for _, share := range shares {
		if share > 0 {
			support++
		}
	}
	if n < support {
		return nil, fmt.Errorf("design: %d pulls are too few for %d arms with a positive share", n, support)
	}
	pulls := make([]int, len(shares))
	total := 0
	for a, share := range shares {
		if share > 0 {
			pulls[a] = max(1, int(math.Ceil((float64(n)-float64(support)/2)*share)))
			total += pulls[a]
		}
	}
	for ; total < n; total++ { // where pulls/λ is least
		at := -1
		for a, share := range shares {
			if share > 0 && (at < 0 || float64(pulls[a])*shares[at] < float64(pulls[at])*share) {
				at = a
			}
		}
		pulls[at]++
	}
	for ; total > n; total-- { // where (pulls − 1)/λ is most
		at := -1
		for a, share := range shares {
			if share > 0 && pulls[a] > 1 && (at < 0 || float64(pulls[a]-1)*shares[at] > float64(pulls[at]-1)*share) {
				at = a
			}
		}
		pulls[at]--
	}
	return pulls, nil
}

// Plan distributes pulls over questions of k arms, for a study whose questions are all fixed in
// advance. The pulls must sum to a multiple of k. Plan deals the arms in turn, one to each
// question, so no question shows an arm twice unless the arm has more pulls than there are
// questions. If a question would show one arm only, Plan swaps a slot with another question. It
// returns an error if no swap helps, because nearly all pulls are of one arm.
func Plan(pulls []int, k int) ([]choice.Question, error) {
	order, total := make([]int, len(pulls)), 0
	for a, count := range pulls {
		order[a] = a
		total += count
	}
	slices.SortStableFunc(order, func(a, b int) int { return pulls[b] - pulls[a] })
	deck := make([]int, 0, total)
	for _, a := range order {
		deck = append(deck, slices.Repeat([]int{a}, pulls[a])...)
	}
	if k < 2 || len(deck) == 0 || len(deck)%k != 0 {
		return nil, fmt.Errorf("design: %d pulls cannot be dealt into questions of %d", len(deck), k)
	}
	questions := make([]choice.Question, len(deck)/k)
	for at, arm := range deck {
		questions[at%len(questions)] = append(questions[at%len(questions)], arm)
	}
	for _, q := range questions {
		if allSame(q) && !swap(q, questions) {
			return nil, fmt.Errorf("design: arm %d has too many of the pulls for questions of %d", q[0], k)
		}
	}
	return questions, nil
}

// swap exchanges the last slot of a question that shows one arm only with a slot of another
// question, so that both show at least two arms.
func swap(q choice.Question, questions []choice.Question) bool {
	last := len(q) - 1
	for _, other := range questions {
		for slot, arm := range other {
			if arm == q[0] {
				continue
			}
			q[last], other[slot] = arm, q[0]
			if !allSame(other) {
				return true
			}
			q[last], other[slot] = q[0], arm
		}
	}
	return false
}
