package strategy

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

// universal is the share of the capital for the evidence about all of θ. The rest is for
// duels, for each arm its own. Only the arm that is truly best can make a verdict wrong, and
// which that is does not depend on the answers, so each may have the rest in full.
//
// Once arms have come or gone it may depend on them, if they came or went because of the
// answers. From then on duels do not count and are not asked: what the universal share alone
// refutes is refuted whichever arm is best, and whether or not duels had counted before.
//
// With clicks at random there is no evidence about all of θ, and with segments none from
// duels, which compare utilities of one segment only.
//
// A duel of profiles that differ in one group of a product is one of two options, whatever the
// rest of the profiles. If a verdict is wrong, the truly best option of some group was refuted,
// so the rest is divided among the groups, and every option of a group may have its group's
// part in full.
func (r *Racing) universal() float64 {
	switch m := r.settings.Model; {
	case m.Clicks:
		return 0
	case len(m.Segments) > 0:
		return 1
	}
	return 0.7
}

// ownCapital is what every side of a duel, an arm or an option, has for its duels.
func (r *Racing) ownCapital() float64 { return (1 - r.universal()) / r.groups }

// sides returns what a duel of a contender with the leader is between: the two arms, or the
// options in which two profiles differ.
func (r *Racing) sides(arm int) (side, against int) {
	p := r.catalogue.Product()
	if p == nil {
		return arm, r.state.Leader
	}
	group := p.Difference(arm, r.state.Leader)
	return p.OptionNumber(arm, group), p.OptionNumber(r.state.Leader, group)
}

// about returns the contender that a duel speaks about while the present leader leads, if any
// in the field.
func (r *Racing) about(d *evidence.Duel) (arm int, ok bool) {
	arm = d.Arm
	against := r.state.Leader
	if p := r.catalogue.Product(); p != nil {
		group, option := p.OptionAt(d.Arm)
		arm, against = p.Change(r.state.Leader, group, option), p.OptionNumber(r.state.Leader, group)
	}
	return arm, d.Against == against && r.field.has(arm)
}

// pair returns which of the arms that were left a pick decided a duel between, -1 where it
// did not.
func (r *Racing) pair(d *evidence.Duel, left []int, pick int) (arm, against int) {
	first, second := d.Arm, d.Against
	if p := r.catalogue.Product(); p != nil {
		group, option := p.OptionAt(d.Arm)
		_, other := p.OptionAt(d.Against)
		first, second = p.Change(pick, group, option), p.Change(pick, group, other)
	}
	if pick != first && pick != second {
		return -1, -1
	}
	return slices.Index(left, first), slices.Index(left, second)
}

// halfway reports whether duels can only tell which of two arms is better, not by how much.
//
// Let u be the utility of an arm, v ≤ u that of another, both shown in two slots in either
// order with equal probability, with any constants for the slots and any share of clicks at
// random. Then the first is picked at least as often as the second: with equal utilities the
// two orders mirror each other, and more utility means more picks in each. So a prediction
// that gives the first at most ½, and does not depend on the order, has an expectation of at
// most 1 over ½, and D(0) of [evidence.Duel] bounds the capital.
func (m Model) halfway() bool { return m.Slots || m.Clicks }

const (
	duelsFrom    = 1.5 // Z of the most doubtful arm
	secondFrom   = 4.0 // Z of the arm
	lessDoubtful = 3.0 // times the Z of the most doubtful arm
)

// openDuels puts capital into direct comparisons of the leader with its contenders, and some
// more when more is known: into the n-th duel of an arm 1/(n(n+1)) of what it has for duels,
// which sum to all of it, so that there is always some left for another leader.
func (r *Racing) openDuels(z float64) {
	own := r.ownCapital()
	if z < duelsFrom || r.state.Changed || own == 0 {
		return
	}
	opened, here := map[int]int{}, map[[2]int]int{}
	for _, d := range r.state.Duels {
		opened[d.Arm]++
		here[[2]int{d.Arm, d.Against}]++
	}
	for _, s := range r.state.Contenders {
		side, against := r.sides(s.Arm)
		already := here[[2]int{side, against}]
		if already > 1 || already == 1 && r.z(r.field.place(s.Arm)) < secondFrom {
			continue
		}
		if r.views.white != nil && len(r.state.Duels) == mostDuels {
			return
		}
		opened[side]++
		here[[2]int{side, against}]++
		n := float64(opened[side])
		r.state.Duels = append(r.state.Duels, evidence.Duel{Arm: side, Against: against, Weight: own / (n * (n + 1))})
	}
}

// countDuels counts a pick from the arms that were left, which were predicted with the given
// probabilities. Where a random order of the slots has to make duels fair, only the first pick
// of an answer counts: what was picked first tells something about the order.
func (r *Racing) countDuels(left []int, shares []float64, pick int) {
	if r.settings.Model.halfway() && len(left) < r.settings.K {
		return
	}
	for i := range r.state.Duels {
		d := &r.state.Duels[i]
		arm, against := r.pair(d, left, pick)
		if arm < 0 || against < 0 {
			continue // the other was not shown
		}
		p := shares[arm] / (shares[arm] + shares[against])
		if r.settings.Model.halfway() {
			p = min(r.state.Belief.Predict(r.views.judged, []int{d.Arm, d.Against})[0], 0.5)
		}
		if pick == left[arm] {
			d.Count(true, p)
		} else {
			d.Count(false, 1-p)
		}
	}
}

// weighDuels sets, for every arm, the log of the least capital of its duels with the leader,
// over all leads of ε or more.
func (r *Racing) weighDuels() {
	for place := range r.duelled {
		r.duelled[place] = math.Inf(-1)
	}
	epsilon := r.epsilon
	if r.settings.Model.halfway() {
		epsilon = 0
	}
	for i := range r.state.Duels {
		d := &r.state.Duels[i]
		if arm, ok := r.about(d); ok && !r.state.Changed {
			place := r.field.place(arm)
			r.duelled[place] = choice.LogSumExp([]float64{r.duelled[place], d.Infimum(epsilon)})
		}
	}
}

// duelsHelp says whether to ask for duels: they must count, and take fewer answers. Rankings
// tell more about all of θ.
func (r *Racing) duelsHelp() bool {
	switch {
	case r.state.Changed || len(r.state.Contenders) == 0 || r.universal() == 1:
		return false
	case r.settings.Model.Clicks:
		return true
	case r.picks() >= 1.5:
		return false
	}
	duels, _ := r.duelling()
	return duels < r.surveying()
}

// duelling estimates how many answers it would take to refute the doubtful contenders by
// duels, with questions of the leader and K−1 contenders, and each contender's part in them.
// Contenders that are less doubtful are refuted on the way.
func (r *Racing) duelling() (total float64, parts []float64) {
	threshold := math.Log(1 / r.settings.Delta)
	r.weighDuels()
	least := r.signal()
	for _, s := range r.state.Contenders {
		place := r.field.place(s.Arm)
		if r.z(place) > lessDoubtful*least {
			parts = append(parts, 0)
			continue
		}
		lead := r.utilities[r.top()] - r.utilities[place] + r.epsilon
		p := 1 / (1 + math.Exp(lead))
		gain := math.Ln2 + p*math.Log(p) + (1-p)*math.Log(1-p) // of a pick of one of the two
		shown := (1 + math.Exp(-lead)) / (1 + float64(r.settings.K-1)*math.Exp(-lead))
		need := min(max(threshold-r.duelled[place], 0.5), threshold-math.Log(r.ownCapital()/2))
		part := (need + 0.5) / (gain * shown)
		parts = append(parts, part)
		total += part / float64(r.settings.K-1)
	}
	return total, parts
}

// surveying estimates how many answers it would take to refute the most doubtful contender
// by questions about all of θ, with capital put to work now: with Z falling as ‖g‖² does, a
// question of information v adds Z·v/‖g‖² to the evidence, of which learning takes
// (d/2)·log(T/t).
func (r *Racing) surveying() float64 {
	place := r.doubtful(r.leads)
	r.weigh()
	r.aim(place, r.state.Belief.Inverse)
	rate := r.z(place) * r.widest.Information(r.widest.Question(nil, r.settings.K)) / r.leads[place]
	t, d := float64(r.state.Answered), float64(r.views.judged.Dim())
	need, n := math.Log(1/r.settings.Delta)-math.Log(firstShare), 1.0
	for range 50 {
		n = max(1, (need+d/2*math.Log1p(n/t))/rate)
	}
	return n
}

// picks is how many picks an answer has had so far, on average.
func (r *Racing) picks() float64 { return r.tally.Picks() / max(float64(r.state.Answered), 1) }

// duelQuestion is the leader with the contenders that have most left to do, and arms that
// will hardly be picked in what slots are left, by their places in the field.
func (r *Racing) duelQuestion(parts []float64) []int {
	q := []int{r.top()}
	for len(q) < r.settings.K && len(q) <= len(parts) {
		most := -1
		for i := range parts {
			if !slices.Contains(q, r.field.place(r.state.Contenders[i].Arm)) && (most < 0 || parts[i] > parts[most]) {
				most = i
			}
		}
		parts[most]--
		q = append(q, r.field.place(r.state.Contenders[most].Arm))
	}
	return r.fillUp(q)
}

// fillUp adds the arms that are least likely to be picked until there are K.
func (r *Racing) fillUp(q []int) []int {
	for len(q) < r.settings.K {
		least := -1
		for place, u := range r.utilities {
			if !slices.Contains(q, place) && !r.withdrawn(r.field.arm(place)) && (least < 0 || u < r.utilities[least]) {
				least = place
			}
		}
		q = append(q, least)
	}
	return q
}
