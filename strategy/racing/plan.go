package racing

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
	"bestpick/strategy"
)

const (
	maxPlanned   = 64  // questions in a deck
	exploreShare = 0.5 // random challengers: this over √t of the questions
	lessDoubtful = 3.0 // times the Z of the most doubtful arm
)

// A planner chooses questions after a look.
type planner struct {
	contest    *contest
	leads      *leads
	contenders []strategy.Standing
	duelled    []float64 // evidence from duels, by place
	answered   int
	picks      float64 // of an answer so far, on average
	rng        *rand.Rand
	widest     *design.Widest // with the weights of the places
}

// An agenda is the purpose of a deck. The first purpose that applies counts.
type agenda struct {
	verifying []int // arms to be compared with the leader directly
	direct    bool  // whether to ask for duels
	campaign  *campaign

	refutation *refutation
}

// weighPlaces sets the weights by which arms, and none of them, are expected to be picked, and
// allocates the values.
func (p *planner) weighPlaces(b *evidence.Belief) {
	n := len(p.leads.utilities)
	w := p.widest
	w.Weights, w.Values = slices.Grow(w.Weights[:0], n)[:n], slices.Grow(w.Values[:0], n)[:n]
	w.Picks = int(math.Round(p.picks))
	top := p.leads.utilities[p.leads.top]
	for place, u := range p.leads.utilities {
		if w.Weights[place] = max(math.Exp(u-top), 1e-300); p.contest.isWithdrawn(p.leads.arm(place)) {
			w.Weights[place] = 0
		}
	}
	w.OutsideWeight = 0
	if none := p.contest.views.none(); none != nil {
		w.OutsideWeight = math.Exp(floats.Dot(none, b.Fitted) - top)
	}
}

// deck returns the next questions, the first one last, and the arms that then remain to be
// verified. The outlook has the expected information of all questions planned since the look; deck
// adds its own.
func (p *planner) deck(size int, a agenda, o *outlook) (deck []choice.Question, verifying []int) {
	deck = make([]choice.Question, 0, size)
	_, parts := p.duelling()
	for range size {
		var q []int
		q, a.verifying = p.next(a, o, parts)
		o.expect(p.leads, p.widest, p.contest.views.none(), q)
		for slot, place := range q {
			q[slot] = p.leads.arm(place)
		}
		deck = append(deck, q)
	}
	slices.Reverse(deck)
	return deck, a.verifying
}

// next chooses a question, by places in the active set: a direct comparison, a duel, or the
// question that shrinks the challenger's uncertainty most. It returns the arms that remain to be
// verified, in the order of their turns.
func (p *planner) next(a agenda, o *outlook, parts []float64) (q, verifying []int) {
	challenger, random := p.challenger(o.Widths)
	switch {
	case a.refutation != nil:
		q = p.fillUp(a.refutation.question(p.contest.settings.K, p.rng))
	case a.campaign != nil:
		q = p.fillUp(append([]int{p.leads.top}, a.campaign.question(p.contest.settings.K-1, p.rng)...))
	case len(a.verifying) > 0:
		q, a.verifying = p.verifyQuestion(a.verifying)
	case a.direct && !random:
		q = p.duelQuestion(parts)
	default:
		p.aim(challenger, o.Inverse)
		q = p.widest.Question(nil, p.contest.settings.K)
	}
	p.rng.Shuffle(len(q), func(i, j int) { q[i], q[j] = q[j], q[i] }) // the slot must not reveal anything
	return q, a.verifying
}

// challenger returns the place of the arm with the least Z, or occasionally of a random one.
func (p *planner) challenger(widths []float64) (place int, random bool) {
	if p.rng.Float64() < exploreShare/math.Sqrt(float64(p.answered+1)) {
		if place := p.rng.IntN(len(widths)); widths[place] > 0 {
			return place, true
		}
	}
	return p.doubtful(widths), false
}

// doubtful returns the place of the arm with the least Z, by the given squared widths of the leads.
// If no arm is in doubt, it returns the place of the arm next to the leader.
func (p *planner) doubtful(widths []float64) int {
	best, least := -1, math.Inf(1)
	for place, width := range widths {
		if width <= 0 {
			continue
		}
		lead := p.leads.lead(place) + p.leads.epsilon
		if z := lead * lead / width; z < least {
			best, least = place, z
		}
	}
	for place, u := range p.leads.utilities {
		other := place != p.leads.top && !p.contest.isWithdrawn(p.leads.arm(place))
		if math.IsInf(least, 1) && other && (best < 0 || u > p.leads.utilities[best]) {
			best = place
		}
	}
	return best
}

// aim sets the values of the places for learning about the leader's lead over a challenger.
func (p *planner) aim(challenger int, inverse []float64) {
	towards := make([]float64, p.contest.dim())
	multiply(towards, inverse, p.leads.difference(challenger))
	for place := range p.widest.Values {
		p.widest.Values[place] = p.leads.rows.Utility(place, towards)
	}
	if none := p.contest.views.none(); none != nil {
		p.widest.OutsideValue = floats.Dot(none, towards)
	}
}

// duelsHelp reports whether to ask for duels: they must count, and take fewer answers than
// questions about all of θ. Rankings are more informative about all of θ.
func (p *planner) duelsHelp(d *duels, b *evidence.Belief) bool {
	switch {
	case d.Closed || len(p.contenders) == 0 || p.contest.universal() == 1:
		return false
	case p.contest.settings.Model.Clicks:
		return true
	case p.picks >= 1.5:
		return false
	}
	duelling, _ := p.duelling()
	return duelling < p.surveying(b)
}

// duelling estimates how many answers it takes to eliminate the doubtful contenders by duels, with
// questions of the leader and K−1 contenders, and each contender's part in them. Contenders that
// are less doubtful are eliminated on the way.
func (p *planner) duelling() (total float64, parts []float64) {
	threshold, others := p.contest.threshold(), float64(p.contest.settings.K-1)
	least := p.leads.signal()
	for _, s := range p.contenders {
		place := p.leads.place(s.Arm)
		if p.leads.z(place) > lessDoubtful*least {
			parts = append(parts, 0)
			continue
		}
		lead := p.leads.lead(place) + p.leads.epsilon
		worse := 1 / (1 + math.Exp(lead))
		gain := math.Ln2 + worse*math.Log(worse) + (1-worse)*math.Log(1-worse) // per pick of one of the two
		shown := (1 + math.Exp(-lead)) / (1 + others*math.Exp(-lead) + p.widest.OutsideWeight)
		need := min(max(threshold-p.duelled[place], 0.5), threshold-math.Log(p.contest.duelCapital()/2))
		part := (need + 0.5) / (gain * shown)
		parts = append(parts, part)
		total += part / others
	}
	return total, parts
}

// surveying estimates how many answers it takes to eliminate the most doubtful contender by
// questions about all of θ, with capital invested now. A question of information v adds Z·v/‖g‖² to
// the evidence, as Z is inversely proportional to ‖g‖², and learning costs (d/2)·log(T/t).
func (p *planner) surveying(b *evidence.Belief) float64 {
	place := p.doubtful(p.leads.widths)
	p.aim(place, b.Inverse)
	question := p.widest.Question(nil, p.contest.settings.K)
	rate := p.leads.z(place) * p.widest.Information(question) / p.leads.widths[place]
	t, d := float64(p.answered), float64(p.contest.dim())
	need, n := p.contest.threshold()-math.Log(firstShare), 1.0
	if p.contest.tilted() {
		need, d = p.contest.threshold()-math.Log(surveyShare), 1 // tilts learn one number
	}
	for range 50 {
		n = max(1, (need+d/2*math.Log1p(n/t))/rate)
	}
	return n
}

// duelQuestion returns the places of the leader and of the contenders with the largest parts left,
// which it reduces, padded to K.
func (p *planner) duelQuestion(parts []float64) []int {
	q := []int{p.leads.top}
	for len(q) < p.contest.settings.K && len(q) <= len(parts) {
		most := -1
		for i := range parts {
			if !slices.Contains(q, p.leads.place(p.contenders[i].Arm)) && (most < 0 || parts[i] > parts[most]) {
				most = i
			}
		}
		parts[most]--
		q = append(q, p.leads.place(p.contenders[most].Arm))
	}
	return p.fillUp(q)
}

// verifyQuestion returns the places of the leader and of the arms whose turn it is to be compared
// with it, padded to K, and the arms in the order of their next turns.
func (p *planner) verifyQuestion(verifying []int) (q, next []int) {
	q = []int{p.leads.leader} // with Verify there are few arms, and their places are their numbers
	for i := 0; len(q) < p.contest.settings.K && i < len(verifying); i++ {
		q = append(q, verifying[i])
	}
	turn := len(q) - 1
	return p.fillUp(q), slices.Concat(verifying[turn:], verifying[:turn])
}

// fillUp adds the places of the arms that are least likely to be picked until there are K.
func (p *planner) fillUp(q []int) []int {
	for len(q) < p.contest.settings.K {
		least := -1
		for place, u := range p.leads.utilities {
			if !slices.Contains(q, place) && !p.contest.isWithdrawn(p.leads.arm(place)) && (least < 0 || u < p.leads.utilities[least]) {
				least = place
			}
		}
		q = append(q, least)
	}
	return q
}
