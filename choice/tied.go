package choice

import "math"

// The sets of arms that can be tied are numbered without reference to the number of arms, so that a
// number stays valid when arms are added. A set c_1 < … < c_k has the rank Σ_i C(c_i, i) among the
// sets of its size (the combinatorial number system), and the number rank·(maxTied − 1) + k − 2.

// tieNumber returns the number of a set of 2 to maxTied different arms in increasing order.
func tieNumber(sorted []int) int {
	rank := 0
	for i, arm := range sorted {
		b, _ := binomial(arm, i+1)
		rank += b
	}
	return rank*(maxTied-1) + len(sorted) - 2
}

// tiedArms returns the set of arms with a number, in increasing order.
func tiedArms(number int) []int {
	rank, k := number/(maxTied-1), number%(maxTied-1)+2
	arms := make([]int, k)
	for i := k; i >= 1; i-- {
		// The largest c with C(c, i) ≤ rank, between low and high.
		low, high := i-1, i
		for fits(high, i, rank) {
			low, high = high, 2*high
		}
		for high-low > 1 {
			if middle := (low + high) / 2; fits(middle, i, rank) {
				low = middle
			} else {
				high = middle
			}
		}
		arms[i-1] = low
		b, _ := binomial(low, i)
		rank -= b
	}
	return arms
}

func fits(c, i, rank int) bool {
	b, ok := binomial(c, i)
	return ok && b <= rank
}

// lastTie returns an upper bound on the numbers of all sets of up to k of n arms. It reports false
// if the numbers are too large.
func lastTie(n, k int) (number int, ok bool) {
	sets := 0
	for size := 2; size <= k; size++ {
		b, known := binomial(n, size)
		if !known {
			return 0, false
		}
		sets = max(sets, b)
	}
	const most = math.MaxInt / (8 * maxTied)
	return sets * (maxTied - 1), sets <= most
}

// binomial returns C(n, k), and false if that is beyond the range of integers.
func binomial(n, k int) (value int, ok bool) {
	if k > n {
		return 0, true
	}
	value = 1
	for i := 1; i <= k; i++ {
		if factor := n - k + i; value > math.MaxInt/factor {
			return 0, false
		}
		value = value * (n - k + i) / i
	}
	return value, true
}
