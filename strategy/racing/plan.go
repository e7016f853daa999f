package racing

import (
	"math"
	"math/rand/v2"
	"slices"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

const (
	lessDoubtful = 3.0 // times the Z of the most doubtful arm
	surveyShare  = 0.1 // of the capital, invested in the evidence that a survey is expected to end with
)

// A planner chooses questions after a look.
type planner struct {
	survey.Planner

	problem    *problem
	leads      *leads
	contenders []strategy.Standing
	duelled    []float64 // evidence from duels, by place
}

// newPlanner returns a planner of the next questions of a course, about leads, after answers with some picks.
func (c *problem) newPlanner(
	l *leads, b *evidence.Belief, course *survey.Course, picks float64, rng *rand.Rand, widest *design.Widest,
) *planner {
	isOut := course.Hand.Without(c.isWithdrawn, c.settings.K, c.catalogue.Len())
	p := &planner{problem: c, leads: l, Planner: survey.Planner{
		Leads: &l.Leads, IsWithdrawn: func(place int) bool { return isOut(l.arm(place)) }, None: c.rows.none(), K: c.settings.K,
		Answered: course.Counted, Picks: picks / max(float64(course.Counted), 1), RNG: rng, Widest: widest,
	}}
	p.Weigh(b)
	return p
}

// deck returns the next questions, the first one last, and the arms that then remain to be compared with the leader directly, in
// the order of their turns. Questions are direct comparisons while there are arms to verify. Otherwise they are duels, where
// duels help and the challenger is not drawn at random, or survey questions.
func (p *planner) deck(size int, verifying []int, direct bool, o *survey.Outlook) (deck []choice.Question, left []int) {
	_, parts := p.duelling()
	places := p.Deck(size, o, func(challenger int, random bool) (q []int) {
		switch {
		case len(verifying) > 0:
			q, verifying = p.verifyQuestion(verifying)
			return q
		case direct && !random:
			return p.duelQuestion(parts)
		}
		return p.Survey(challenger, o.Inverse)
	})
	deck = make([]choice.Question, 0, size)
	for _, q := range slices.Backward(places) {
		for slot, place := range q {
			q[slot] = p.leads.arm(place)
		}
		deck = append(deck, q)
	}
	return deck, verifying
}

// duelsHelp reports whether to ask for duels: they must count, and take fewer answers than
// questions about all of θ. Rankings are more informative about all of θ.
func (p *planner) duelsHelp(d *duels, b *evidence.Belief) bool {
	switch {
	case d.Closed || len(p.contenders) == 0 || p.problem.universal() == 1:
		return false
	case p.problem.settings.Model.Clicks:
		return true
	case p.Picks >= 1.5:
		return false
	}
	duelling, _ := p.duelling()
	return duelling < p.surveying(b)
}

// duelling estimates how many answers it takes to eliminate the doubtful contenders by duels, with questions of the leader and
// K−1 contenders, and each contender's part in them. Contenders that are less doubtful are eliminated on the way.
func (p *planner) duelling() (total float64, parts []float64) {
	threshold, others := p.problem.threshold(), float64(p.K-1)
	least := p.leads.Signal()
	for _, s := range p.contenders {
		place := p.leads.place(s.Arm)
		if p.leads.Z(place) > lessDoubtful*least {
			parts = append(parts, 0)
			continue
		}
		lead := p.leads.Lead(place) + p.leads.Epsilon
		worse := 1 / (1 + math.Exp(lead))
		gain := math.Ln2 + worse*math.Log(worse) + (1-worse)*math.Log(1-worse) // per pick of one of the two
		shown := (1 + math.Exp(-lead)) / (1 + others*math.Exp(-lead) + p.Widest.OutsideWeight)
		need := min(max(threshold-p.duelled[place], 0.5), threshold-math.Log(p.problem.duelCapital()/2))
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
	place := p.Doubtful(p.leads.Widths)
	question := p.Survey(place, b.Inverse)
	rate := p.leads.Z(place) * p.Widest.Information(question) / p.leads.Widths[place]
	t, d := float64(p.Answered), float64(p.problem.dim())
	need, n := p.problem.threshold()-math.Log(firstShare), 1.0
	if p.problem.tilted() {
		need, d = p.problem.threshold()-math.Log(surveyShare), 1 // tilts learn one number
	}
	for range 50 {
		n = max(1, (need+d/2*math.Log1p(n/t))/rate)
	}
	return n
}

// duelQuestion returns the places of the leader and of the contenders with the largest parts left, which it reduces, padded to K.
func (p *planner) duelQuestion(parts []float64) []int {
	q := []int{p.leads.Top}
	for len(q) < p.K && len(q) <= len(parts) {
		most := -1
		for i := range parts {
			if !slices.Contains(q, p.leads.place(p.contenders[i].Arm)) && (most < 0 || parts[i] > parts[most]) {
				most = i
			}
		}
		parts[most]--
		q = append(q, p.leads.place(p.contenders[most].Arm))
	}
	return p.FillUp(q)
}

// verifyQuestion returns the places of the leader and of the arms whose turn it is to be compared
// with it, padded to K, and the arms in the order of their next turns.
func (p *planner) verifyQuestion(verifying []int) (q, next []int) {
	q = []int{p.leads.leader} // with Verify there are few arms, and their places are their numbers
	for i := 0; len(q) < p.K && i < len(verifying); i++ {
		q = append(q, verifying[i])
	}
	turn := len(q) - 1
	return p.FillUp(q), slices.Concat(verifying[turn:], verifying[:turn])
}
