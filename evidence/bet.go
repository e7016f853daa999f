package evidence

import (
	"math"

	"bestpick/choice"
)

// A Bet is what a person's answers about a pair of arms pay, with the stake that was fixed on arrival.
type Bet struct {
	Arrival int
	Arm     int     // the arm that the bet is on: the nominee
	Stake   float64 // λ
	Cards   int     // questions of the hand that show both
	Shown   int     // of these, answered
	Rival   int     // with the rival
	Nominee int
	Ended   bool // the hand has ended

	Distrusted bool // the bet wins nothing
	Cut        bool // questions were taken off the hand: what is not answered stays lost

	Mean   float64 // predicted payoff
	Within float64 // predicted variance of the payoff of one answer

	Chosen   float64 // predicted share of people who choose the rival
	Variance float64 // of the share of a person's answers that do
}

// stakeAt returns λ at a level.
func (b *Bet) stakeAt(at Level) float64 {
	if !at.Predicted {
		return b.Stake
	}
	at.Share -= at.Below
	mean := at.Share - b.Chosen
	if at.Opposite {
		mean = at.Share - (1 - b.Chosen)
	}
	return Prediction{Mean: mean, Squares: mean*mean + b.Variance}.Kelly(at.Share - 0.5)
}

// Payoff returns g at a level.
func (b *Bet) Payoff(at Level) float64 {
	g := b.payoff(at)
	if b.Distrusted {
		return min(g, 0)
	}
	return g
}

func (b *Bet) payoff(at Level) float64 {
	if b.Cards == 0 {
		return 0
	}
	nominee, rival := b.Nominee, b.Rival
	if at.Opposite {
		nominee, rival = rival, nominee
	}
	lose := 1 - at.Share
	lost := (at.Share*float64(nominee) - lose*float64(b.Cards-b.Shown+rival)) / float64(b.Cards)
	if !b.Ended || b.Cut || b.Shown == 0 {
		return lost
	}
	leftOut := (at.Share*float64(nominee) - lose*float64(rival)) / float64(b.Shown)
	return leftOut + at.Missing*(lost-leftOut)
}

// Void makes the bet on a person who answered nothing at all, and is no respondent, worth nothing.
func (b *Bet) Void() { *b = Bet{Arrival: b.Arrival, Ended: true} }

// Votes sums up what people chose between a rival and a nominee, each person as one.
type Votes struct { //nolint:recvcheck // only add changes it
	People  float64 `json:"people"`
	Chosen  float64 `json:"chosen"`  // sum of W/n over them
	Refused float64 `json:"refused"` // sum of L/n over them
	Lost    float64 `json:"lost"`    // people who answered other questions only
	Squares float64 `json:"squares"` // sum of g² over all
}

// add adds what is known of a person, at the share p₀.
func (v *Votes) add(b Bet, share float64) {
	switch {
	case b.Distrusted:
		return
	case b.Shown > 0:
		b.Cards, b.Ended, b.Cut = b.Shown, true, false
		v.People++
		v.Chosen += float64(b.Rival) / float64(b.Shown)
		v.Refused += float64(b.Nominee) / float64(b.Shown)
	case b.Ended && b.Cards > 0:
		v.Lost++
	default:
		return
	}
	g := b.Payoff(Level{Share: share})
	v.Squares += g * g
}

// Update returns a prediction improved by votes, as if it rested on some people of its own.
func (v Votes) Update(prior Prediction, points, weight float64) Prediction {
	sum := (0.5+points)*v.Refused - (0.5-points)*(v.Chosen+v.Lost)
	total := weight + v.People + v.Lost
	return Prediction{Mean: (weight*prior.Mean + sum) / total, Squares: (weight*prior.Squares + v.Squares) / total, People: total}
}

// Share returns the share of the votes that are for the rival, if a prediction of it is worth some people.
func (v Votes) Share(predicted, weight float64) float64 {
	return (weight*predicted + v.Chosen) / (weight + v.Chosen + v.Refused)
}

// Points returns the tolerance ε in probability that corresponds to one in utility: at 0.2 it is 0.05, five points.
func Points(epsilon float64) float64 { return math.Tanh(epsilon/2) / 2 }

// LogOdds returns the lead in utility that corresponds to a share of choices, at most [MaxSpread] either way.
func LogOdds(share float64) float64 {
	return min(max(math.Log(share/(1-share)), -MaxSpread), MaxSpread)
}

// A Prediction is what is expected of the payoff of the next respondent.
type Prediction struct {
	Mean    float64 // of g
	Squares float64 // mean of g²
	People  float64 // that it rests on
}

// Near returns the prediction with the mean that is nearest to a given one, at most some standard errors away, of as many
// people and a further number. The stakes of Kelly's rule with an estimate lose about ½·log n nats to the right stake: with
// hundreds of people as much as log(1/δ) is. With a mean that follows the estimates only where they are clear, they lose less,
// if that mean is about right.
func (p Prediction) Near(mean, errors, further float64) Prediction {
	most := errors * math.Sqrt(p.Squares/(p.People+further))
	near := min(max(mean, p.Mean-most), p.Mean+most)
	return Prediction{Mean: near, Squares: p.Squares - p.Mean*p.Mean + near*near, People: p.People}
}

// boldest is the largest stake, as a share of the largest λ.
const boldest = 0.95

// Kelly returns the λ that maximises the expected logarithm of 1 + λg, if g has the outcomes of a single answer, p₀, −(1−p₀) and
// 0, with the predicted moments: E g/(E g² − 2ε·E g). It is limited to the range that keeps the capital positive at every level.
func (p Prediction) Kelly(points float64) float64 {
	if !(p.Mean > 0 && p.Squares > 0) {
		return 0
	}
	largest := boldest / (0.5 - min(points, 0))
	if left := p.Squares - 2*points*p.Mean; left*largest > p.Mean {
		return p.Mean / left
	}
	return largest
}

// Growth returns the expected logarithm of 1 + λg at Kelly's λ, for the same outcomes.
func (p Prediction) Growth(points float64) float64 {
	lambda, win, lose := p.Kelly(points), 0.5+points, 0.5-points
	wins, losses := (p.Squares+lose*p.Mean)/win, (p.Squares-win*p.Mean)/lose
	if losses <= 0 { // people agree more than single answers can
		return math.Log1p(lambda * max(p.Mean, 0))
	}
	return wins*math.Log1p(lambda*win) + losses*math.Log1p(-lambda*lose)
}

// Compares reports whether a question compares two arms: both are shown in equally many slots, so that neither has an advantage.
func Compares(q choice.Question, a, b int) bool {
	n := slotsOf(q, a)
	return n > 0 && n == slotsOf(q, b)
}

// slotsOf counts the slots that show an arm.
func slotsOf(q choice.Question, arm int) int {
	n := 0
	for _, shown := range q {
		if shown == arm {
			n++
		}
	}
	return n
}

// Count adds an answer to a question that compares the rival with the arm of the bet.
func (b *Bet) Count(a choice.Answer, rival int) {
	b.Shown++
	for _, slot := range a.Picks {
		switch a.Question[slot] {
		case rival:
			b.Rival++
			return
		case b.Arm:
			b.Nominee++
			return
		}
	}
}
