package racing

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

// A pair is two places, the first of which is ranked above the second.
type pair struct{ above, below int }

// ranking returns the places of the arms that are not withdrawn, by their estimated utilities, and the pairs that must hold. The
// m best arms are certified once every swap across the boundary is refuted: for each arm i among them and each other arm j, that
// j is better than i by more than ε. A ranking of all arms is certified once that is refuted for all arms j ranked below i.
// Without tolerance the pairs of neighbours imply the others.
//
// The evidence about all of θ has the whole capital. Unless M(θ*) reaches 1/δ, which has probability at most δ, no true swap is
// ever refuted, whichever pairs are tested and whenever. So a refuted pair stays refuted.
func (c *problem) ranking(l *leads) (order []int, pairs []pair) {
	for place := range l.Utilities {
		if !c.isWithdrawn(l.arm(place)) {
			order = append(order, place)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Utilities[b], l.Utilities[a]) })
	for at, below := range order {
		first, last := 0, c.settings.Top
		switch {
		case c.settings.Top == TopAll && c.epsilon == 0:
			first, last = max(at-1, 0), at
		case c.settings.Top == TopAll:
			last = at
		case at < c.settings.Top:
			last = 0
		}
		for _, above := range order[first:last] {
			pairs = append(pairs, pair{above, below})
		}
	}
	return order, pairs
}

// top returns the m best arms, or all, in the order of a ranking.
func (c *problem) top(l *leads, order []int) []int {
	if c.settings.Top != TopAll {
		order = order[:c.settings.Top]
	}
	arms := make([]int, len(order))
	for i, place := range order {
		arms[i] = l.arm(place)
	}
	return arms
}

// inside returns the number of arms that are neither the leader nor its rivals: the others of the m best.
func (c *problem) inside() int { return max(c.settings.Top-1, 0) }

// isRefuted reports whether it is refuted that the second arm of a pair is better by more than ε. Arms with
// the same features are equal.
func (m *memory) isRefuted(l *leads, p pair) bool {
	n := l.Rows.Len()
	known := len(m.Refuted) > 0 && m.Refuted.has(p.above*n+p.below)
	return known || slices.Equal(l.Rows.Arm(p.above), l.Rows.Arm(p.below))
}

func (m *memory) refute(l *leads, p pair) {
	n := l.Rows.Len()
	if len(m.Refuted) == 0 {
		m.Refuted = newArmSet(n * n)
	}
	m.Refuted.add(p.above*n + p.below)
}

// oppose compares each arm with the arm above it that it is most likely to be better than, of the pairs that
// are not refuted, instead of the leader. Arms without such a pair have no width.
func (c *problem) oppose(l leads, b *evidence.Belief, m *memory) leads {
	_, pairs := c.ranking(&l)
	l.Opponents, l.Widths = make([]int, len(l.Utilities)), make([]float64, len(l.Utilities))
	least := make([]float64, len(l.Utilities))
	for _, p := range pairs {
		if m.isRefuted(&l, p) {
			continue
		}
		if z, width := c.doubt(&l, b, p); l.Widths[p.below] == 0 || z < least[p.below] {
			l.Opponents[p.below], l.Widths[p.below], least[p.below] = p.above, width, z
		}
	}
	return l
}

// doubt returns Z of a pair, as [leads.z], and the squared width of its lead.
func (c *problem) doubt(l *leads, b *evidence.Belief, p pair) (z, width float64) {
	g, solved := make([]float64, l.Rows.Dim()), make([]float64, l.Rows.Dim())
	floats.SubTo(g, l.Rows.Arm(p.above), l.Rows.Arm(p.below))
	survey.Multiply(solved, b.Inverse, g)
	width = floats.Dot(g, solved)
	lead := l.Utilities[p.above] - l.Utilities[p.below] + c.epsilon
	return lead * lead / (2 * width), width
}

// weighTop weighs the evidence against the pairs of a ranking, and reports whether all are refuted.
func (w *weighing) weighTop(b *evidence.Belief) (l leads, found standings, certified bool) {
	c := w.problem
	l = c.newLeads(allArms(c.rows), b, survey.OpenLeader)
	w.leads = &l
	w.lookAtEvidence()
	if w.look != nil {
		w.refutePairs(b)
	}
	l = c.oppose(l, b, w.memory)
	w.duelled = w.duels.weigh(c, &l)
	if found.Contenders = l.unknown(); w.look == nil {
		return l, found, false
	}
	for i, standing := range found.Contenders {
		found.Contenders[i] = w.standing(standing.Arm).Standing
	}
	survey.SortByLead(found.Contenders)
	if certified = len(found.Contenders) == 0; !certified {
		found.Forecast = c.forecast(&l, found.Contenders, w.answered)
	}
	return l, found, certified
}

// refutePairs refutes pairs by the bound that needs no search, and then searches for the most likely ones, a
// limited number at a look.
func (w *weighing) refutePairs(b *evidence.Belief) {
	type likely struct {
		pair

		guess float64
	}
	var rest []likely
	threshold := w.problem.threshold()
	_, pairs := w.problem.ranking(w.leads)
	for _, p := range pairs {
		if w.memory.isRefuted(w.leads, p) {
			continue
		}
		lead, width := w.look.Lead(w.leads.Between(p.above, p.below))
		if w.look.AgainstLead(lead+w.problem.epsilon, width) >= threshold {
			w.memory.refute(w.leads, p)
			continue
		}
		z, _ := w.problem.doubt(w.leads, b, p)
		if guess := w.look.Guess(z); guess >= threshold-searchMargin {
			rest = append(rest, likely{p, guess})
		}
	}
	slices.SortStableFunc(rest, func(a, b likely) int { return cmp.Compare(b.guess, a.guess) })
	for _, p := range rest[:min(len(rest), searches)] {
		if w.look.Infimum(w.leads.Between(p.above, p.below), w.problem.epsilon) >= threshold {
			w.memory.refute(w.leads, p.pair)
		}
	}
}

// outsideSearches is the number of searches at a look for arms that are better or worse than none.
const outsideSearches = 4

// compareWithOutside adds the arms that the evidence shows to be better or worse than none of the arms to those found before.
//
// Arm a is better if every θ with a'θ ≤ κ is refuted, κ the constant of none. If any such statement is wrong, the true θ is
// refuted by the evidence about all of θ. A wrong leader needs that too, or the duels of the best arm, which have the rest of the
// capital: so all statements and the verdict together are wrong with probability at most δ.
func (w *weighing) compareWithOutside(found strategy.Outside) strategy.Outside {
	if !found.Offered || w.look == nil {
		return found
	}
	c := w.problem
	none, threshold, left := c.rows.none(), c.threshold(), outsideSearches
	g := make([]float64, c.dim())
	for arm := range c.catalogue.Len() {
		if found.Decided(arm) {
			continue
		}
		floats.SubTo(g, c.rows.arms.Arm(arm), none)
		lead, width := w.look.Lead(g)
		list := &found.Better
		if lead < 0 {
			list, lead = &found.Worse, -lead
			floats.Scale(-1, g)
		}
		evidence := w.look.AgainstLead(lead, width)
		z := lead * lead / (2 * width * width)
		if evidence < threshold && left > 0 && w.look.Guess(z) >= threshold-searchMargin {
			left--
			evidence = max(evidence, w.look.Infimum(g, 0))
		}
		if evidence >= threshold {
			*list = append(*list, arm)
		}
	}
	return found
}
