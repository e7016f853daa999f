package survey

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/design"
	"bestpick/evidence"
)

// exploreShare over √t of the questions after t answers have a random challenger.
const exploreShare = 0.5

// MaxDeck is the largest number of questions planned at once.
const MaxDeck = 64

// A Planner chooses questions after a look. A survey question is the one that shrinks the uncertainty
// about the challenger's lead most ([design.Widest]).
type Planner struct {
	Leads       *Leads
	IsWithdrawn func(place int) bool
	None        []float64 // the coordinates of none of the arms; nil if that is not offered
	K           int       // arms in a question
	Answered    int
	Picks       float64 // of an answer so far, on average
	RNG         *rand.Rand
	Fixed       bool           // questions do not depend on the outlook, which then stays as it is
	Widest      *design.Widest // scratch
}

// Weigh sets the weights by which arms, and none of them, are expected to be picked, and allocates the values.
func (p *Planner) Weigh(b *evidence.Belief) {
	n := len(p.Leads.Utilities)
	w := p.Widest
	w.Weights, w.Values = slices.Grow(w.Weights[:0], n)[:n], slices.Grow(w.Values[:0], n)[:n]
	w.Picks = int(math.Round(p.Picks))
	top := p.Leads.Utilities[p.Leads.Top]
	for place, u := range p.Leads.Utilities {
		if w.Weights[place] = max(math.Exp(u-top), 1e-300); p.IsWithdrawn(place) {
			w.Weights[place] = 0
		}
	}
	w.OutsideWeight = 0
	if p.None != nil {
		w.OutsideWeight = math.Exp(floats.Dot(p.None, b.Fitted) - top)
	}
}

// Deck returns questions, by places, each chosen by next for a challenger. The outlook has the expected
// information of all questions planned since the look; Deck adds its own, unless questions are Fixed.
func (p *Planner) Deck(size int, o *Outlook, next func(challenger int, random bool) []int) [][]int {
	deck := make([][]int, 0, size)
	for range size {
		q := next(p.challenger(o.Widths))
		p.RNG.Shuffle(len(q), func(i, j int) { q[i], q[j] = q[j], q[i] }) // the slot must not reveal anything
		if !p.Fixed {
			o.expect(p.Leads, p.Widest, p.None, q)
		}
		deck = append(deck, q)
	}
	return deck
}

// challenger returns the place of the arm with the least Z, or occasionally of a random one.
func (p *Planner) challenger(widths []float64) (place int, random bool) {
	if p.RNG.Float64() < exploreShare/math.Sqrt(float64(p.Answered+1)) {
		if place := p.RNG.IntN(len(widths)); widths[place] > 0 {
			return place, true
		}
	}
	return p.Doubtful(widths), false
}

// Doubtful returns the place of the arm with the least Z, by the given squared widths of the leads.
// If no arm is in doubt, it returns the place of the arm next to the leader.
func (p *Planner) Doubtful(widths []float64) int {
	best, least := -1, math.Inf(1)
	for place, width := range widths {
		if width <= 0 {
			continue
		}
		lead := p.Leads.Lead(place) + p.Leads.Epsilon
		if z := lead * lead / width; z < least {
			best, least = place, z
		}
	}
	for place, u := range p.Leads.Utilities {
		other := place != p.Leads.Top && !p.IsWithdrawn(place)
		if math.IsInf(least, 1) && other && (best < 0 || u > p.Leads.Utilities[best]) {
			best = place
		}
	}
	return best
}

// Survey returns the question from which most is expected to be learned about the leader's lead over a challenger, given H⁻¹.
func (p *Planner) Survey(challenger int, inverse []float64) []int {
	towards := make([]float64, p.Leads.Rows.Dim())
	Multiply(towards, inverse, p.Leads.Difference(challenger))
	for place := range p.Widest.Values {
		p.Widest.Values[place] = p.Leads.Rows.Utility(place, towards)
	}
	if p.None != nil {
		p.Widest.OutsideValue = floats.Dot(p.None, towards)
	}
	return p.Widest.Question(nil, p.K)
}

// FillUp adds the places of the arms that are least likely to be picked until there are K.
func (p *Planner) FillUp(q []int) []int {
	for len(q) < p.K {
		least := -1
		for place, u := range p.Leads.Utilities {
			if !slices.Contains(q, place) && !p.IsWithdrawn(place) && (least < 0 || u < p.Leads.Utilities[least]) {
				least = place
			}
		}
		q = append(q, least)
	}
	return q
}

// An Outlook is the expected knowledge once all planned questions are answered.
type Outlook struct {
	Inverse []float64 `json:"inverse"` // H⁻¹
	Widths  []float64 `json:"widths"`  // ‖a_b − a_j‖²_{H⁻¹}, by place
}

// NewOutlook returns the present knowledge.
func NewOutlook(b *evidence.Belief, l *Leads) Outlook {
	return Outlook{slices.Clone(b.Inverse), slices.Clone(l.Widths)}
}

// expect adds the expected information of an answer to a question to H: of each pick from the places
// that are left, or of none of them if that has a row, in proportion to their weights.
func (o *Outlook) expect(l *Leads, w *design.Widest, none []float64, q []int) {
	for left := range w.Picked(q) {
		rows, weights := make([][]float64, 0, len(left)+1), make([]float64, 0, len(left)+1)
		for _, place := range left {
			rows, weights = append(rows, l.Rows.Arm(place)), append(weights, w.Weights[place])
		}
		if none != nil && len(left) == len(q) {
			rows, weights = append(rows, none), append(weights, w.OutsideWeight)
		}
		o.expectPick(l, rows, weights)
	}
}

// expectPick adds the expected information of a pick to H. H⁻¹ and the squared widths of the leads
// change by one rank-one term for each row to pick from.
func (o *Outlook) expectPick(l *Leads, rows [][]float64, weights []float64) {
	leader := l.Rows.Arm(l.Top)
	AddPick(o.Inverse, rows, weights, 1, func(solved []float64, scale float64) {
		own := floats.Dot(solved, leader)
		for j := range o.Widths {
			if o.Widths[j] > 0 {
				if l.Opponents != nil {
					own = l.Rows.Utility(l.Opponents[j], solved)
				}
				x := own - l.Rows.Utility(j, solved)
				o.Widths[j] = max(o.Widths[j]-scale*x*x, 1e-300)
			}
		}
	})
}

// AddPick adds the expected information of a number of picks from rows, in proportion to their weights
// p, to H = Σ p·(x − x̄)(x − x̄)', given H⁻¹: one rank-one term for each row, H⁻¹ −= scale·s·s'. It calls
// each with s = H⁻¹(x − x̄) and the scale, after which ‖g‖² is smaller by scale·(g's)².
func AddPick(inverse []float64, rows [][]float64, weights []float64, times float64, each func(solved []float64, scale float64)) {
	d := len(rows[0])
	mean, centred, solved := make([]float64, d), make([]float64, d), make([]float64, d)
	sum := 0.0
	for _, weight := range weights {
		sum += weight
	}
	for i, row := range rows {
		floats.AddScaled(mean, weights[i]/sum, row)
	}
	for i, row := range rows {
		p := times * weights[i] / sum
		floats.SubTo(centred, row, mean)
		Multiply(solved, inverse, centred)
		scale := p / (1 + p*floats.Dot(centred, solved))
		for k := range d {
			floats.AddScaled(inverse[k*d:(k+1)*d], -scale*solved[k], solved)
		}
		each(solved, scale)
	}
}
