package racing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// TopAll is the value of Settings.Top for a ranking of all arms.
const TopAll = -1

// maxTop is the number of arms up to which all pairs are compared.
const maxTop = 512

// checkTop returns an error if the arms of a catalogue or other settings rule out Top.
func (s Settings) checkTop(c *choice.Catalogue) error {
	switch {
	case s.Top == 0:
		return nil
	case s.Top < TopAll || s.Top >= c.Len():
		return fmt.Errorf("Top must be %d for a ranking of all arms, or at least 1 and less than the number of arms, got %d of %d arms", TopAll, s.Top, c.Len()) //nolint:staticcheck // Top is a field
	case c.Product() != nil || c.Len() > maxTop:
		return fmt.Errorf("the best arms, or a ranking, need pairs of arms one by one, so at most %d arms, and no product", maxTop)
	case s.Assume == strategy.Majority || s.Fallback > 0:
		return errors.New("majority evidence compares arms with the leader only, so it certifies neither several best arms nor a ranking")
	case s.Model.Clicks || s.Verify > 0:
		return errors.New("the best arms, or a ranking, cannot be combined with clicks in the model or verification, which compare arms with the leader only")
	}
	return nil
}

// A pair is two places, the first of which is ranked above the second.
type pair struct{ above, below int }

// ranking returns the places of the arms that are not withdrawn, by their estimated utilities, and the pairs
// that must hold. The m best arms are certified once every swap across the boundary is refuted: for each arm
// i among them and each other arm j, that j is better than i by more than ε. A ranking of all arms is
// certified once that is refuted for all arms j ranked below i. Without tolerance the pairs of neighbours
// imply the others.
//
// The evidence about all of θ has the whole capital. Unless M(θ*) reaches 1/δ, which has probability at
// most δ, no true swap is ever refuted, whichever pairs are tested and whenever. So a refuted pair stays
// refuted.
func (c *contest) ranking(l *leads) (order []int, pairs []pair) {
	for place := range l.utilities {
		if !c.isWithdrawn(l.arm(place)) {
			order = append(order, place)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.utilities[b], l.utilities[a]) })
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
func (c *contest) top(l *leads, order []int) []int {
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
func (c *contest) inside() int { return max(c.settings.Top-1, 0) }

// isRefuted reports whether it is refuted that the second arm of a pair is better by more than ε. Arms with
// the same features are equal.
func (m *memory) isRefuted(l *leads, p pair) bool {
	n := l.rows.Len()
	known := len(m.Refuted) > 0 && m.Refuted.has(p.above*n+p.below)
	return known || slices.Equal(l.rows.Arm(p.above), l.rows.Arm(p.below))
}

func (m *memory) refute(l *leads, p pair) {
	n := l.rows.Len()
	if len(m.Refuted) == 0 {
		m.Refuted = newArmSet(n * n)
	}
	m.Refuted.add(p.above*n + p.below)
}

// oppose compares each arm with the arm above it that it is most likely to be better than, of the pairs that
// are not refuted, instead of the leader. Arms without such a pair have no width.
func (c *contest) oppose(l leads, b *evidence.Belief, m *memory) leads {
	_, pairs := c.ranking(&l)
	l.opponents, l.widths = make([]int, len(l.utilities)), make([]float64, len(l.utilities))
	least := make([]float64, len(l.utilities))
	for _, p := range pairs {
		if m.isRefuted(&l, p) {
			continue
		}
		if z, width := c.doubt(&l, b, p); l.widths[p.below] == 0 || z < least[p.below] {
			l.opponents[p.below], l.widths[p.below], least[p.below] = p.above, width, z
		}
	}
	return l
}

// doubt returns Z of a pair, as [leads.z], and the squared width of its lead.
func (c *contest) doubt(l *leads, b *evidence.Belief, p pair) (z, width float64) {
	g, solved := make([]float64, l.rows.Dim()), make([]float64, l.rows.Dim())
	floats.SubTo(g, l.rows.Arm(p.above), l.rows.Arm(p.below))
	multiply(solved, b.Inverse, g)
	width = floats.Dot(g, solved)
	lead := l.utilities[p.above] - l.utilities[p.below] + c.epsilon
	return lead * lead / (2 * width), width
}

// compareTop weighs the evidence against the pairs of a ranking, and reports whether all are refuted.
func (r *Racing) compareTop() (l leads, found standings, certified bool) {
	s, c := &r.state, &r.contest
	l = c.newLeads(allArms(c.views), &s.Belief, openLeader)
	w := weighing{contest: c, evidence: r.evidence, duels: &s.Duels, leads: &l, memory: &s.Memory, survey: &r.survey, answered: s.Answered}
	w.lookAtEvidence()
	if w.look != nil {
		w.refutePairs(&s.Belief)
	}
	l = c.oppose(l, &s.Belief, &s.Memory)
	w.duelled = s.Duels.weigh(c, &l)
	if found.Contenders = l.unknown(); w.look == nil {
		return l, found, false
	}
	for i, standing := range found.Contenders {
		found.Contenders[i] = w.standing(standing.Arm).Standing
	}
	sortByLead(found.Contenders)
	if certified = len(found.Contenders) == 0; !certified {
		found.Forecast = c.forecast(&l, found.Contenders, s.Answered)
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
	threshold := w.contest.threshold()
	_, pairs := w.contest.ranking(w.leads)
	for _, p := range pairs {
		if w.memory.isRefuted(w.leads, p) {
			continue
		}
		lead, width := w.look.Lead(w.leads.between(p))
		if w.look.AgainstLead(lead+w.contest.epsilon, width) >= threshold {
			w.memory.refute(w.leads, p)
			continue
		}
		z, _ := w.contest.doubt(w.leads, b, p)
		if guess := w.look.Guess(z); guess >= threshold-searchMargin {
			rest = append(rest, likely{p, guess})
		}
	}
	slices.SortStableFunc(rest, func(a, b likely) int { return cmp.Compare(b.guess, a.guess) })
	for _, p := range rest[:min(len(rest), searches)] {
		if w.look.Infimum(w.leads.between(p.pair), w.contest.epsilon) >= threshold {
			w.memory.refute(w.leads, p.pair)
		}
	}
}

// between returns the features of the first arm of a pair minus those of the second.
func (l *leads) between(p pair) []float64 {
	return floats.SubTo(make([]float64, l.rows.Dim()), l.rows.Arm(p.above), l.rows.Arm(p.below))
}
