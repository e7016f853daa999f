package strategy

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
)

// Shares of the capital: universal is for the evidence about all of θ, the rest is for
// duels, for each arm its own. Only the arm that is truly best can make a verdict wrong, and
// which that is does not depend on the answers, so each may have the rest in full.
//
// Once arms have come or gone it may depend on them, if they came or went because of the
// answers. From then on duels do not count and are not asked: what the universal share alone
// refutes is refuted whichever arm is best, and whether or not duels had counted before.
const (
	universal    = 0.7
	duelsFrom    = 1.5 // Z of the most doubtful arm
	secondFrom   = 4.0 // Z of the arm
	lessDoubtful = 3.0 // times the Z of the most doubtful arm
)

// openDuels puts capital into direct comparisons of the leader with its contenders: half of
// what each has left, and half of the rest when more is known.
func (r *Racing) openDuels(z float64) {
	if z < duelsFrom || r.state.Changed {
		return
	}
	spent, here := make([]float64, len(r.leads)), make([]int, len(r.leads))
	for _, d := range r.state.Duels {
		spent[d.Arm] += d.Weight
		if d.Against == r.state.Leader {
			here[d.Arm]++
		}
	}
	for _, s := range r.state.Contenders {
		if here[s.Arm] > 1 || here[s.Arm] == 1 && r.z(s.Arm) < secondFrom {
			continue
		}
		if weight := (1 - universal - spent[s.Arm]) / 2; weight > 1e-4 {
			r.state.Duels = append(r.state.Duels, evidence.Duel{Arm: s.Arm, Against: r.state.Leader, Weight: weight})
		}
	}
}

// countDuels counts a pick from the arms that were left, of which shares are the
// probabilities predicted.
func (r *Racing) countDuels(left choice.Question, shares []float64, pick int) {
	for i := range r.state.Duels {
		d := &r.state.Duels[i]
		if pick != d.Arm && pick != d.Against {
			continue
		}
		var arm, against float64
		for at, shown := range left {
			switch shown {
			case d.Arm:
				arm += shares[at]
			case d.Against:
				against += shares[at]
			}
		}
		if arm == 0 || against == 0 {
			continue // the other was not shown
		}
		if pick == d.Arm {
			d.Count(true, arm/(arm+against))
		} else {
			d.Count(false, against/(arm+against))
		}
	}
}

// weighDuels sets, for every arm, the log of the least capital of its duels with the leader,
// over all leads of ε or more.
func (r *Racing) weighDuels() {
	if len(r.duelled) != len(r.leads) {
		r.duelled = make([]float64, len(r.leads))
	}
	for arm := range r.duelled {
		r.duelled[arm] = math.Inf(-1)
	}
	for i := range r.state.Duels {
		if d := &r.state.Duels[i]; d.Against == r.state.Leader && !r.state.Changed {
			r.duelled[d.Arm] = choice.LogSumExp([]float64{r.duelled[d.Arm], d.Infimum(r.settings.Epsilon)})
		}
	}
}

// duelsHelp says whether to ask for duels: they must count, and take fewer answers. Rankings
// tell more about all of θ.
func (r *Racing) duelsHelp() bool {
	if r.state.Changed || r.picks() >= 1.5 || len(r.state.Contenders) == 0 {
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
		if r.z(s.Arm) > lessDoubtful*least {
			parts = append(parts, 0)
			continue
		}
		lead := r.utilities[r.state.Leader] - r.utilities[s.Arm] + r.settings.Epsilon
		p := 1 / (1 + math.Exp(lead))
		gain := math.Ln2 + p*math.Log(p) + (1-p)*math.Log(1-p) // of a pick of one of the two
		shown := (1 + math.Exp(-lead)) / (1 + float64(r.settings.K-1)*math.Exp(-lead))
		need := min(max(threshold-r.duelled[s.Arm], 0.5), threshold-math.Log((1-universal)/2))
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
	arm := r.doubtful(r.leads)
	r.weigh()
	r.aim(arm, r.state.Belief.Inverse)
	rate := r.z(arm) * r.widest.Information(r.widest.Question(nil, r.settings.K)) / r.leads[arm]
	t, d := float64(r.state.Answered), float64(r.white.Dim())
	need, n := math.Log(1/r.settings.Delta)-math.Log(firstShare), 1.0
	for range 50 {
		n = max(1, (need+d/2*math.Log1p(n/t))/rate)
	}
	return n
}

// picks is how many picks an answer has had so far, on average.
func (r *Racing) picks() float64 { return r.tally.Picks() / max(float64(r.state.Answered), 1) }

// duelQuestion is the leader with the contenders that have most left to do, and arms that
// will hardly be picked in what places are left.
func (r *Racing) duelQuestion(parts []float64) choice.Question {
	q := choice.Question{r.state.Leader}
	for len(q) < r.settings.K && len(q) <= len(parts) {
		most := -1
		for i := range parts {
			if !slices.Contains(q, r.state.Contenders[i].Arm) && (most < 0 || parts[i] > parts[most]) {
				most = i
			}
		}
		parts[most]--
		q = append(q, r.state.Contenders[most].Arm)
	}
	for len(q) < r.settings.K {
		least := -1
		for arm, u := range r.utilities {
			if !slices.Contains(q, arm) && !r.withdrawn(arm) && (least < 0 || u < r.utilities[least]) {
				least = arm
			}
		}
		q = append(q, least)
	}
	return q
}
