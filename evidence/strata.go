package evidence

import (
	"math"
	"slices"
)

// Strata is majority evidence about a population that consists of groups with known shares w_s, where the groups among
// the people who come may have others. The group of a person is known on arrival.
//
// Let π_s be the share of group s who choose the rival. The hypothesis to refute is Σ w_s·π_s ≥ p₀. For any m, the
// product of 1 + λ·g over people, where g has m_s in place of p₀ for a person of group s and λ ≥ 0 is fixed on
// arrival for each m_s, is a non-negative supermartingale if m = π, as in [Majority]. So the rival is refuted where
// the product has reached the threshold for every m with Σ w_s·m_s ≥ p₀. The true π need not be known: it is one of them.
//
// # The least capital
//
// The stake is the same for all m_s in a cell of width h. There the log F_s(m_s) of the product over group s is concave,
// because the payoff is linear in m_s. For every μ ≥ 0 and all m of the hypothesis
//
//	Σ F_s(m_s) ≥ μ·p₀ + Σ min over m_s of (F_s(m_s) − μ·w_s·m_s),
//
// and the minimum over a cell is at one of its ends. So every μ gives a lower bound that holds between the points of
// the grid, too. The largest one over some μ is taken; it is concave in μ. The same holds for every other p₀ at once.
//
// # Fakes
//
// The largest factors are those of any group, so that the minimum is also over how many fakes are in each. In a cell
// they are at most those at its upper end.
type Strata struct {
	Groups  []Capital `json:"groups"`  // at the ends of the cells, see [Cells]
	Highest Logs      `json:"highest"` // by level: the bound without the fakes, over all moments and prefixes
}

// The cells of the share in a group; cellWidth is h.
const (
	cells     = 20
	cellWidth = 1.0 / cells
)

// Cells returns the levels of the capital of a group: for each cell its lower and its upper end, with one stake.
func Cells(fakes int) (all []Level) {
	for cell := range cells {
		lower, upper := float64(cell)*cellWidth, float64(cell+1)*cellWidth
		all = append(all, Level{Share: lower, Predicted: true},
			Level{Share: upper, Below: upper - lower, Predicted: true, Fakes: fakes})
	}
	return all
}

// NewStrata returns the evidence about a pair of arms, before any bet.
func (by Stratification) NewStrata() Strata {
	s := Strata{Highest: slices.Repeat(Logs{leastLog}, len(by.Levels))}
	for range by.Weights {
		s.Groups = append(s.Groups, NewCapital(1, len(by.Cells)))
	}
	return s
}

// A Stratification has the shares of groups, with the levels of hypotheses about all people and the cells of groups.
type Stratification struct {
	Weights []float64
	Levels  []Level
	Cells   []Level
}

// IsPlain reports whether there is stratified evidence at a level: those of other shares of what is missing, and of other
// numbers of fakes, and those for intervals have none.
func (l Level) IsPlain() bool { return l.Missing == 0 && l.Beyond == 0 && !l.Predicted }

// Settle evaluates all bets of an invested capital. Hands up to a number have ended.
func (s *Strata) Settle(by Stratification, invested float64, ended int) {
	balances := make([][]balance, len(s.Groups))
	open, bets := make([]int, len(s.Groups)), 0 // the first bets on hands that have not ended
	for g := range s.Groups {
		for cell := range by.Cells {
			balances[g] = append(balances[g], s.Groups[g].balance(cell))
		}
		bets += len(s.Groups[g].Bets)
	}
	kept := false
	for next := slices.Repeat([]int{0}, len(s.Groups)); bets > 0; bets-- {
		g := earliest(s.Groups, next)
		b := s.Groups[g].Bets[next[g]]
		if b.Arrival > ended && !kept {
			kept = true
			s.keep(balances)
		}
		if next[g]++; !kept {
			open[g] = next[g]
		}
		for cell, level := range by.Cells {
			balances[g][cell].add(math.Log1p(b.stakeAt(level)*b.Payoff(level)), level.Fakes)
		}
		s.raise(by, balances, math.Log(invested))
	}
	if !kept {
		s.keep(balances)
	}
	for g := range s.Groups {
		c := &s.Groups[g]
		for _, b := range c.Bets[:open[g]] {
			c.Past.add(b, by.Levels[0].Share)
		}
		c.Bets = slices.Clone(c.Bets[open[g]:])
	}
}

// earliest returns the group with the next bet in the order of arrival.
func earliest(groups []Capital, next []int) int {
	first := -1
	for g := range groups {
		if next[g] == len(groups[g].Bets) {
			continue
		}
		if first < 0 || groups[g].Bets[next[g]].Arrival < groups[first].Bets[next[first]].Arrival {
			first = g
		}
	}
	return first
}

// keep stores the capitals after hands that have ended.
func (s *Strata) keep(balances [][]balance) {
	for g := range s.Groups {
		c := &s.Groups[g]
		if c.Largest == nil {
			c.Largest = make([]Logs, len(balances[g]))
		}
		for cell := range balances[g] {
			c.Logs[cell], c.Largest[cell] = balances[g][cell].log, slices.Clone(balances[g][cell].largest)
		}
	}
}

// raise raises the highest bounds to those of the given balances.
func (s *Strata) raise(by Stratification, balances [][]balance, start float64) {
	bound := func(mu float64) float64 {
		least := leastAt(mu, by.Weights, balances, by.Levels[0].Fakes)
		for i, level := range by.Levels {
			if level.IsPlain() {
				s.Highest[i] = max(s.Highest[i], start+least+mu*level.Share)
			}
		}
		return least + mu*by.Levels[0].Share
	}
	low, high, most := 0.0, 1.0, bound(1)
	for next := bound(2); next > most && high < 1e6; next = bound(2 * high) {
		high, most = 2*high, next
	}
	high *= 2
	for range 12 {
		left, right := low+(high-low)/3, high-(high-low)/3
		if bound(left) < bound(right) {
			low = left
		} else {
			high = right
		}
	}
}

// leastAt returns the minimum over m in [0, 1] of Σ F_s(m_s) − μ·w_s·m_s, with the largest factors of fakes left out.
func leastAt(mu float64, weights []float64, balances [][]balance, fakes int) float64 {
	total := make([]float64, fakes+1) // by the number of fakes in the groups so far
	for g, ends := range balances {
		least := slices.Repeat([]float64{math.Inf(1)}, fakes+1) // by the number of fakes in this group
		for cell := 0; cell < len(ends); cell += 2 {
			lower, upper := float64(cell/2)*cellWidth, float64(cell/2+1)*cellWidth
			log := min(ends[cell].log-mu*weights[g]*lower, ends[cell+1].log-mu*weights[g]*upper)
			for n := range least {
				least[n] = min(least[n], log)
				if n < len(ends[cell+1].largest) {
					log -= ends[cell+1].largest[n]
				}
			}
		}
		next := slices.Repeat([]float64{math.Inf(1)}, fakes+1)
		for all := range next {
			for n := range all + 1 {
				next[all] = min(next[all], total[all-n]+least[n])
			}
		}
		total = next
	}
	return total[fakes]
}
