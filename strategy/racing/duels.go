package racing

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

const (
	duelsFrom  = 1.5  // Z of the most doubtful arm
	secondFrom = 4.0  // Z of the arm
	maxDuels   = 4096 // opened in all, among very many arms
)

// duels are the direct comparisons of arms, each with its own capital. A side of a duel is an arm, or an option of a product.
type duels struct {
	List   []evidence.Duel `json:"list,omitempty"`
	Closed bool            `json:"closed,omitempty"` // arms were added or withdrawn: duels no longer count
}

// open invests capital in direct comparisons of the leader with its contenders, and further amounts
// as evidence grows. The n-th duel of a side gets 1/(n(n+1)) of the side's capital for duels. These
// shares sum to 1, so that there is always some left for another leader.
func (d *duels) open(c *problem, l *leads, contenders []strategy.Standing, z float64) {
	capital := c.duelCapital()
	if z < duelsFrom || d.Closed || capital == 0 {
		return
	}
	opened, here := map[int]int{}, map[[2]int]int{}
	for _, duel := range d.List {
		opened[duel.Arm]++
		here[[2]int{duel.Arm, duel.Against}]++
	}
	for _, s := range contenders {
		side, against := c.sides(s.Arm, l.leader)
		already := here[[2]int{side, against}]
		if already > 1 || already == 1 && l.Z(l.place(s.Arm)) < secondFrom {
			continue
		}
		if c.rows.whitening != nil && len(d.List) == maxDuels {
			return
		}
		opened[side]++
		here[[2]int{side, against}]++
		n := float64(opened[side])
		d.List = append(d.List, evidence.Duel{Arm: side, Against: against, Weight: capital / (n * (n + 1))})
	}
}

// A comparison is a choice of one of the arms left, as the best or as the worst.
type comparison struct {
	left   []int
	shares []float64 // predicted, of the arms left and of anything else offered
	pick   int       // the arm
	first  bool      // whether no arm was picked before
	worst  bool
}

// count counts a comparison. If the random order of the slots makes duels fair, only the first pick
// of an answer counts, because it carries information about the order.
//
// Of two arms the worse one is chosen as the worst with probability e^{−u_a}/(e^{−u_a} + e^{−u_b}) =
// σ(u_b − u_a), given that it is one of them: that counts as a pick of the other.
func (d *duels) count(c *problem, b *evidence.Belief, made comparison) {
	halfway := c.settings.Model.halfway()
	if halfway && !made.first {
		return
	}
	for i := range d.List {
		duel := &d.List[i]
		arm, against := c.pair(duel, made.left, made.pick)
		if arm < 0 || against < 0 {
			continue // the pick does not decide it
		}
		p := made.shares[arm] / (made.shares[arm] + made.shares[against])
		if halfway {
			p = min(b.Predict(c.rows.arms, []int{duel.Arm, duel.Against})[0], 0.5)
		}
		chosen := made.pick == made.left[arm]
		if !chosen {
			p = 1 - p
		}
		duel.Count(chosen != made.worst, p)
	}
}

// weigh returns, for every place of an active set, the log of the least capital of the arm's duels
// with the leader, over all leads of ε or more.
func (d *duels) weigh(c *problem, l *leads) []float64 {
	logs := make([]float64, len(l.Widths))
	for place := range logs {
		logs[place] = math.Inf(-1)
	}
	if d.Closed {
		return logs
	}
	epsilon := c.epsilon
	if c.settings.Model.halfway() {
		epsilon = 0
	}
	for i := range d.List {
		duel := &d.List[i]
		if arm, ok := c.contender(duel, l); ok {
			place := l.place(arm)
			logs[place] = choice.LogSumExp([]float64{logs[place], duel.Infimum(epsilon)})
		}
	}
	return logs
}

// sides returns the sides of a duel of an arm with the leader: the two arms, or the options in which two profiles differ.
func (c *problem) sides(arm, leader int) (side, against int) {
	p := c.catalogue.Product()
	if p == nil {
		return arm, leader
	}
	group := p.Difference(arm, leader)
	return p.OptionNumber(arm, group), p.OptionNumber(leader, group)
}

// contender returns the arm of the active set that a duel is about while the present leader leads.
func (c *problem) contender(d *evidence.Duel, l *leads) (arm int, ok bool) {
	arm, against := d.Arm, l.leader
	if p := c.catalogue.Product(); p != nil {
		group, option := p.OptionAt(d.Arm)
		arm, against = p.Change(l.leader, group, option), p.OptionNumber(l.leader, group)
	}
	return arm, d.Against == against && l.has(arm)
}

// pair returns the indices of the two sides of a duel among the arms left, or -1 if the pick does
// not decide the duel. For a product the sides are the picked profile with either option.
//
// A pick decides a duel of arms a and b only if both are left in equally many slots. With a in m
// slots and b in n, the probability of a pick of a, given a pick of a or b, is
//
//	m·e^{u_a} / (m·e^{u_a} + n·e^{u_b}) = σ(u_a − u_b + log(m/n)),
//
// which is the σ(x) of [evidence.Duel] only for m = n. Otherwise the duel would report a lead of log(m/n) where there is none: a
// prediction π of a has the expectation π·σ(x + log(m/n))/σ(x) + (1 − π)·σ(−x − log(m/n))/σ(−x), which exceeds 1 for some π. The
// number of slots of other arms does not matter, and the arms left are known before the pick, so that skipping a pick because of
// them keeps the martingale.
func (c *problem) pair(d *evidence.Duel, left []int, pick int) (arm, against int) {
	first, second := d.Arm, d.Against
	if p := c.catalogue.Product(); p != nil {
		group, option := p.OptionAt(d.Arm)
		_, other := p.OptionAt(d.Against)
		first, second = p.Change(pick, group, option), p.Change(pick, group, other)
	}
	if pick != first && pick != second || slotsOf(left, first) != slotsOf(left, second) {
		return -1, -1
	}
	return slices.Index(left, first), slices.Index(left, second)
}

// slotsOf counts the slots that show an arm.
func slotsOf(shown []int, arm int) int {
	n := 0
	for _, other := range shown {
		if other == arm {
			n++
		}
	}
	return n
}
