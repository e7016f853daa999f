package evidence

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"bestpick/choice"
)

// Majority is evidence about people rather than about θ: that they do not choose one arm, the rival,
// over another, the nominee, by more than a tolerance ε. It assumes no softmax, no features, and
// no likeness of people.
//
// For a question S that shows both, let π_S be the probability that a respondent drawn from the
// population who chooses one of the two chooses the rival. The hypothesis to refute is
//
//	H: π_S ≥ p₀ = ½ + ε, whichever other arms S shows.
//
// People are numbered by their arrival. A person is dealt all questions of their session on arrival, the
// hand, and at the same moment a stake λ, 0 ≤ λ < 2, is fixed for every pair of a nominee and a rival
// that the hand compares. If c questions of the hand show both arms, of which n are answered so far, L
// with the nominee and W with the rival, the payoff is
//
//	g = (p₀·L − (1−p₀)·(W + c − n))/c,
//
// so that an open comparison counts for the rival until it is answered. Once the hand has ended, the
// comparisons that are not answered are left out, c = n, if n > 0, and otherwise the bet is lost. The
// capital after the first k people is the product of 1 + λ·g over them: for pairs of arms that is the
// bet on a bounded mean of Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
// betting" (JRSS B, 2024). An answer that chooses neither arm has the payoff 0. For rankings, the arm that
// is ranked higher is chosen; if neither is ranked, neither is chosen.
//
// # Why it is valid
//
// Let G_k be all that the first k arrivals will ever answer, with its timing, and all times of arrival.
// Assume that
//
//  1. given G_k, person k+1 is drawn from the population, and
//  2. given a person's taste, which of their questions they answer, and when, does not depend on what
//     they choose.
//
// Hand, stakes and investments before arrival k+1 are functions of G_k. When all hands have ended,
//
//	E g = (1/n)·Σ_i (p₀·P(L_i) − (1−p₀)·P(W_i)) = (1/n)·Σ_i P(W_i or L_i)·(p₀ − π_{S_i}) ≤ 0
//
// under H, however one person's answers depend on each other; a bet without an answered comparison pays
// less. (How many questions a person answers may depend on their taste. Where their choice between the two
// depends on the other arms of a question, which ones may not: so hands have a random order.) So the product over people, from any arrival on, is a non-negative supermartingale in k. An open
// bet never counts for more than it does in the end. So the largest capital over all moments and all
// prefixes of the arrivals is at most the largest one of that supermartingale, which Ville's inequality
// bounds: pace and the order in which people finish do not matter.
//
// # People who are distrusted
//
// Of a person whom a rule excludes after their bets were placed, or the owner, the bets may still lose, and win
// nothing: g becomes min(g, 0), with all of their answers. At every moment and prefix that is at most the capital
// with them, which is valid whatever the rule depends on, and at most the capital without them.
//
// # Several nominees, one capital
//
// Let a nominee X be bad if for some rival H holds, and let Y(X) be the first such rival in the order of
// the arms, which depends on X alone. A capital of 1 is invested in nominees bit by bit, as much in each
// and whenever the answers suggest it: a part w that is invested in X after k arrivals becomes, for each
// rival of X, w times the product from person k+1 on. So
//
//	S = cash + Σ_X M_X, with M_X the capital of rival Y(X) of each bad nominee X,
//
// is a non-negative supermartingale that starts at 1 or below, and reaches 1/δ with probability at
// most δ. If X is elected once the capitals of all its rivals have reached 1/δ, a bad X is elected
// with probability at most δ, for any population, with or without a Condorcet winner. There is no
// union over rivals or over nominees, and none over arms that are added later.
//
// Gains from one nominee do not count for another: an arm that loses narrowly to a good nominee may
// still beat a bad one by more than ε.
//
// # Fakes
//
// Up to m people may be fake: they are not drawn from the population, and answer whatever they like because of
// anything that happened. What they do may change hands, stakes and investments of others, which are still fixed
// on arrival. So S above is a supermartingale if it has the factors of the other people only. For each invested
// part of a capital, that is at least the part divided by its m largest factors, if they are more than 1. A rival
// is refuted where that has reached 1/δ. The m may be chosen afterwards: of all m the true number is one, smaller
// ones claim nothing, and larger ones claim less.
//
// The largest factors are kept for the sum of all parts of a capital, since the first: they are at least as large as
// those of each part. Where a new part is more than all of that, the older ones are given up.
//
// # Other tolerances
//
// The same stakes give a capital for every hypothesis π ≥ m with m ≥ ½. For the m that holds, that is a
// supermartingale, and the capital grows with m. So the smallest m at which all rivals of some nominee
// are refuted is proven at any time, with the same δ. A [Level] is such a hypothesis.
//
// # Intervals
//
// Let m be the share of people who choose a rival over a nominee, the same in all questions. For levels
// m₁ < m₂ < … and any stakes λᵢ ≥ 0 that are fixed on arrival, the capital at mᵢ is a supermartingale if
// m ≥ mᵢ. If a level counts as refuted only together with all larger ones, a wrong upper end needs that the
// largest mᵢ ≤ m is refuted, which is one supermartingale. So each level has its stakes, Kelly's for the share
// predicted on arrival, and lower ends come from the opposite bets, on people who choose the nominee: there
// open comparisons count for the nominee.
//
// The nominee is chosen by the answers. Number the rivals of every nominee X in the order of the arms, and let
// Y(X) be its j-th rival, for one j. Then S above, with the capitals at the largest true levels, is a
// supermartingale for each j and each side. With n−1 rivals and the threshold 2(n−1)/δ, all intervals of all
// nominees hold at all times with probability 1 − δ. That δ is another one than that of the election.
type Majority struct {
	Arm      int          `json:"arm"`    // the nominee
	Rivals   []Capital    `json:"rivals"` // by arm
	Invested float64      `json:"invested"`
	Pending  []investment `json:"pending,omitempty"` // the last parts of it, after people whose bets are open
}

// An investment is a part of the capital. It bets on people with larger numbers.
type investment struct {
	After  int     `json:"after"`
	Weight float64 `json:"weight"`
}

// A Capital is the outcome of bets about one pair of arms.
type Capital struct {
	Logs    Logs   `json:"logs"`              // by level, after the people whose hands, and all before, have ended
	Highest Logs   `json:"highest"`           // by level, without the fakes, over all moments and prefixes
	Largest []Logs `json:"largest,omitempty"` // by level, the largest logs of factors in Logs, see [Level.Fakes]
	Bets    []Bet  `json:"bets,omitempty"`    // on people after those, in the order of their arrival
	Past    Votes  `json:"past"`              // of those people

	mark  mark
	stale int // the first person whose bet, or an investment before it, has changed since the bets were evaluated
}

// A mark is what a capital was after some of its bets when they were evaluated last. While these do not change, the next
// evaluation begins there.
type mark struct {
	arrival int // of the last of them, 0 if there is no mark
	logs    Logs
	largest []Logs
	votes   Votes // with the past
}

// Logs are logarithms of a capital by level. Snapshots have very many of them: in JSON they are the bytes of the
// numbers, or one number where all are equal, as before the first bet.
type Logs []float64

// MarshalJSON implements [json.Marshaler].
func (l Logs) MarshalJSON() ([]byte, error) {
	if len(l) > 0 && !slices.ContainsFunc(l, func(x float64) bool { return x != l[0] }) {
		return json.Marshal([]float64{float64(len(l)), l[0]})
	}
	bytes := make([]byte, 0, 8*len(l))
	for _, x := range l {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x))
	}
	return json.Marshal(bytes)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Logs) UnmarshalJSON(text []byte) error {
	var equal []float64
	if json.Unmarshal(text, &equal) == nil && len(equal) == 2 && equal[0] >= 1 && equal[0] <= maxLevels {
		*l = slices.Repeat(Logs{equal[1]}, int(equal[0]))
		return nil
	}
	var bytes []byte
	if err := json.Unmarshal(text, &bytes); err != nil || len(bytes)%8 != 0 || len(bytes) > 8*maxLevels {
		return fmt.Errorf("evidence: the logarithms of a capital are not those of at most %d levels", maxLevels)
	}
	*l = make(Logs, len(bytes)/8)
	for i := range *l {
		(*l)[i] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	return nil
}

// maxLevels bounds the levels of a capital in JSON.
const maxLevels = 1000

// A Level is a hypothesis that a capital is to refute: that a share of people, Share or more, choose the
// rival, if a comparison that a person left unanswered counts for the rival with a weight.
type Level struct {
	Share   float64
	Missing float64

	// Fakes is how many people may be fake, and Beyond how many more than a race is set to withstand.
	Fakes, Beyond int

	Opposite  bool // the hypothesis is about people who choose the nominee
	Predicted bool // the stake is Kelly's for the predicted share, instead of the one for p₀

	Below float64 // that stake is for a share that is less by this
}

const (
	boldest  = 0.95 // of the largest λ
	leastLog = -1e9 // where there is no capital
)

// Levels returns the hypotheses of a majority race, all with a number of fakes. The first is the one to refute, p₀;
// then the same with growing weights of what is missing, with growing numbers of further fakes, then others in
// increasing order of the share, which have the same stake, and the rest of those for intervals.
func Levels(points float64, fakes int) []Level {
	p := 0.5 + points
	all := []Level{{Share: p}}
	for _, weight := range []float64{0.1, 0.25, 0.5, 1} {
		all = append(all, Level{Share: p, Missing: weight})
	}
	for _, more := range []int{1, 2, 3, 5, 10} {
		all = append(all, Level{Share: p, Beyond: more})
	}
	for _, share := range []float64{0.5, 0.51, 0.52, 0.53, 0.55, 0.57, 0.6, 0.63, 0.66, 0.7, 0.75, 0.8, 0.9} {
		all = append(all, Level{Share: share})
	}
	for percent := 5.0; percent <= 50; percent += 5 {
		all = append(all, Level{Share: percent / 100, Predicted: true})
	}
	for percent := 40.0; percent < 100; percent += 5 {
		all = append(all, Level{Share: percent / 100, Opposite: true, Predicted: true})
	}
	for i := range all {
		all[i].Fakes = fakes
	}
	return all
}

// NewCapital returns a capital of some size, for a number of levels.
func NewCapital(weight float64, levels int) Capital {
	log := leastLog
	if weight > 0 {
		log = math.Log(weight)
	}
	return Capital{Logs: slices.Repeat(Logs{log}, levels), Highest: slices.Repeat(Logs{log}, levels)}
}

// NewMajority returns the evidence for a nominee among n arms, without capital.
func NewMajority(arm, n, levels int) Majority {
	m := Majority{Arm: arm}
	m.Grow(n, levels)
	return m
}

// Grow makes room for rivals that were added. Capital that was invested before works for them from now
// on.
func (m *Majority) Grow(n, levels int) {
	for len(m.Rivals) < n {
		m.Rivals = append(m.Rivals, NewCapital(m.Invested, levels))
	}
}

// Invest puts a part of the capital to work for people who arrive after a number of others. It waits where
// bets on them are open.
func (m *Majority) Invest(weight float64, after int) {
	m.Pending = append(m.Pending, investment{after, weight})
	for arm := range m.Rivals {
		m.Rivals[arm].change(after + 1)
	}
}

// Settle evaluates all bets. Hands up to a number have ended.
func (m *Majority) Settle(levels []Level, ended int) {
	at := slices.IndexFunc(m.Pending, func(i investment) bool { return i.After > ended })
	if at < 0 {
		at = len(m.Pending)
	}
	for arm := range m.Rivals {
		if arm != m.Arm {
			m.Rivals[arm].settle(levels, ended, m.Pending[:at], m.Pending[at:])
		}
	}
	for _, part := range m.Pending[:at] {
		m.Invested += part.Weight
	}
	m.Pending = m.Pending[at:]
}

// Settle evaluates the bets of a capital without further investments. Hands up to a number have ended.
func (c *Capital) Settle(levels []Level, ended int) { c.settle(levels, ended, nil, nil) }

func (c *Capital) settle(levels []Level, ended int, before, after []investment) {
	if len(c.Bets)+len(before)+len(after) == 0 {
		return
	}
	if c.Largest == nil && slices.ContainsFunc(levels, func(l Level) bool { return l.Fakes+l.Beyond > 0 }) {
		c.Largest = make([]Logs, len(levels))
	}
	if past := c.first(ended + 1); past+len(before) > 0 {
		for i, level := range levels {
			b := c.balance(i)
			b.walk(level, c.Bets[:past], before)
			if c.Logs[i], c.Highest[i] = b.log, b.highest; c.Largest != nil {
				c.Largest[i] = b.largest
			}
		}
		for _, b := range c.Bets[:past] {
			c.Past.add(b, levels[0].Share)
		}
		c.Bets = slices.Clone(c.Bets[past:])
	}
	if c.mark.arrival <= ended || !c.marked() {
		c.mark = mark{votes: c.Past}
	}
	if c.stale < math.MaxInt {
		marked := c.first(c.mark.arrival + 1)
		c.evaluate(levels, marked, marked+(c.first(c.stale)-marked)/2, after)
		c.stale = math.MaxInt
	}
}

// evaluate raises the highest capitals to those of the open bets. It begins after the marked ones, and marks more of them.
func (c *Capital) evaluate(levels []Level, marked, next int, invested []investment) {
	from := c.mark
	for len(invested) > 0 && invested[0].After < from.arrival {
		invested = invested[1:]
	}
	before := 0
	if next > marked {
		n := len(levels)
		c.mark = mark{arrival: c.Bets[next-1].Arrival, votes: from.votes, logs: make(Logs, n), largest: make([]Logs, n)}
		for _, b := range c.Bets[marked:next] {
			c.mark.votes.add(b, levels[0].Share)
		}
		for before < len(invested) && invested[before].After < c.mark.arrival {
			before++
		}
	}
	for i, level := range levels {
		b := c.balance(i)
		if from.arrival > 0 {
			b.log, b.largest = from.logs[i], slices.Clone(from.largest[i])
		}
		if next > marked {
			b.walk(level, c.Bets[marked:next], invested[:before])
			c.mark.logs[i], c.mark.largest[i] = b.log, slices.Clone(b.largest)
		}
		b.walk(level, c.Bets[next:], invested[before:])
		c.Highest[i] = b.highest
	}
}

// Place adds a bet on a person who arrives.
func (c *Capital) Place(b Bet) {
	c.Bets = append(c.Bets, b)
	c.change(b.Arrival)
}

// change notes that bets are to be evaluated again from a person on.
func (c *Capital) change(arrival int) { c.stale = min(c.stale, arrival) }

// first returns the index of the first bet on a person with some number or a larger one.
func (c *Capital) first(arrival int) int {
	at, _ := slices.BinarySearchFunc(c.Bets, arrival, func(b Bet, arrival int) int { return b.Arrival - arrival })
	return at
}

// marked reports whether there is a mark after bets that have not changed.
func (c *Capital) marked() bool { return c.mark.arrival > 0 && c.mark.arrival < c.stale }

// A balance is a capital at one level, after some people.
type balance struct {
	log     float64
	largest Logs    // of its factors above 1, in decreasing order, at most one for each fake
	highest float64 // without them
}

func (c *Capital) balance(level int) balance {
	b := balance{log: c.Logs[level], highest: c.Highest[level]}
	if c.Largest != nil {
		b.largest = slices.Clone(c.Largest[level])
	}
	return b
}

// genuine returns the log of the capital without what fakes can have added to it.
func (b *balance) genuine() float64 {
	log := b.log
	for _, factor := range b.largest {
		log -= factor
	}
	return log
}

// Genuine returns the log of the capital at a level after the people whose hands, and all before, have ended,
// without what fakes can have added to it.
func (c *Capital) Genuine(level int) float64 {
	b := c.balance(level)
	return b.genuine()
}

// walk goes on with bets, and investments between them.
func (b *balance) walk(level Level, bets []Bet, invested []investment) {
	for _, bet := range bets {
		for len(invested) > 0 && invested[0].After < bet.Arrival {
			b.invest(invested[0])
			invested = invested[1:]
		}
		b.highest = max(b.highest, b.genuine())
		b.add(math.Log1p(bet.stakeAt(level)*bet.Payoff(level)), level.Fakes+level.Beyond)
	}
	for _, part := range invested {
		b.invest(part)
	}
	b.highest = max(b.highest, b.genuine())
}

// add adds the log of a factor, the largest of which may be those of fakes.
func (b *balance) add(factor float64, fakes int) {
	b.log += factor
	at := 0
	for at < len(b.largest) && b.largest[at] >= factor {
		at++
	}
	if factor <= 0 || at == fakes {
		return
	}
	b.largest = slices.Insert(b.largest, at, factor)[:min(len(b.largest)+1, fakes)]
}

// invest adds a part of the capital. Where it alone is more than the sum without the fakes, the capital so far is
// given up, and the fakes with it.
func (b *balance) invest(part investment) {
	weight := math.Log(part.Weight)
	b.log = choice.LogSumExp([]float64{b.log, weight})
	if b.genuine() < weight {
		b.log, b.largest = weight, nil
	}
}

// A Bet is what a person's answers about a pair of arms pay, with the stake that was fixed on arrival.
type Bet struct { //nolint:recvcheck // only counting changes it
	Arrival int     `json:"arrival"`
	Arm     int     `json:"arm"`             // the arm that the bet is on: the nominee
	Stake   float64 `json:"stake"`           // λ
	Cards   int     `json:"cards"`           // questions of the hand that show both
	Shown   int     `json:"shown,omitempty"` // of these, answered
	Rival   int     `json:"rival,omitempty"` // with the rival
	Nominee int     `json:"nominee,omitempty"`
	Ended   bool    `json:"ended,omitempty"` // the hand has ended

	Distrusted bool `json:"distrusted,omitempty"` // the bet wins nothing

	Mean   float64 `json:"mean,omitempty"`   // predicted payoff
	Within float64 `json:"within,omitempty"` // predicted variance of the payoff of one answer

	Chosen   float64 `json:"chosen,omitempty"`   // predicted share of people who choose the rival
	Variance float64 `json:"variance,omitempty"` // of the share of a person's answers that do
}

// stakeAt returns λ at a level.
func (b Bet) stakeAt(at Level) float64 {
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
func (b Bet) Payoff(at Level) float64 {
	g := b.payoff(at)
	if b.Distrusted {
		return min(g, 0)
	}
	return g
}

func (b Bet) payoff(at Level) float64 {
	if b.Cards == 0 {
		return 0
	}
	if at.Opposite {
		b.Nominee, b.Rival = b.Rival, b.Nominee
	}
	lose := 1 - at.Share
	lost := (at.Share*float64(b.Nominee) - lose*float64(b.Cards-b.Shown+b.Rival)) / float64(b.Cards)
	if !b.Ended || b.Shown == 0 {
		return lost
	}
	leftOut := (at.Share*float64(b.Nominee) - lose*float64(b.Rival)) / float64(b.Shown)
	return leftOut + at.Missing*(lost-leftOut)
}

// Void makes the bet on a person who answered nothing at all, and is no respondent, worth nothing.
func (b *Bet) Void() { *b = Bet{Arrival: b.Arrival, Ended: true} }

// Bet returns the bet on a person, which may be changed at once, nil if there is none.
func (c *Capital) Bet(arrival int) *Bet {
	at := c.first(arrival)
	if at == len(c.Bets) || c.Bets[at].Arrival != arrival {
		return nil
	}
	c.change(arrival)
	return &c.Bets[at]
}

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
		b.Cards, b.Ended = b.Shown, true
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

// Interval returns between which shares of people choose the rival, by the levels whose capital has reached
// a threshold in nats: from 0 to 1 before any has.
func (c *Capital) Interval(levels []Level, threshold float64) (low, high float64) {
	return 1 - c.end(levels, true, threshold), c.end(levels, false, threshold)
}

// end returns the smallest share of one side that is refuted together with all larger ones, 1 if there is none.
func (c *Capital) end(levels []Level, opposite bool, threshold float64) float64 {
	open, end := 0.0, 1.0
	for i, level := range levels {
		if level.bounds(opposite) && !(c.Highest[i] >= threshold) {
			open = max(open, level.Share)
		}
	}
	for _, level := range levels {
		if level.bounds(opposite) && level.Share > open {
			end = min(end, level.Share)
		}
	}
	return end
}

// bounds reports whether a level is for ends of intervals on a side. There is one for each share.
func (l Level) bounds(opposite bool) bool {
	return l.Opposite == opposite && l.Missing == 0 && l.Beyond == 0 && (l.Predicted || l.Share > 0.5)
}

// Expected returns the log of the capital at the first level, which is p₀, without what fakes can have added to it,
// if open comparisons turn out as predicted on arrival.
func (c *Capital) Expected(level Level) float64 {
	sum := c.balance(0)
	for _, b := range c.Bets {
		g := b.Payoff(level)
		if !b.Ended {
			g += float64(b.Cards-b.Shown) / float64(b.Cards) * (b.Mean + 1 - level.Share)
		}
		sum.add(math.Log1p(b.Stake*g), level.Fakes)
	}
	return sum.genuine()
}

// Votes returns what everyone chose so far, whether their hands have ended or not.
func (c *Capital) Votes(points float64) Votes {
	v, from := c.Past, 0
	if c.marked() {
		v, from = c.mark.votes, c.first(c.mark.arrival+1)
	}
	for _, b := range c.Bets[from:] {
		v.add(b, 0.5+points)
	}
	return v
}

// Update returns a prediction improved by votes, as if it rested on some people of its own.
func (v Votes) Update(prior Prediction, points, weight float64) Prediction {
	sum := (0.5+points)*v.Refused - (0.5-points)*(v.Chosen+v.Lost)
	total := weight + v.People + v.Lost
	return Prediction{Mean: (weight*prior.Mean + sum) / total, Squares: (weight*prior.Squares + v.Squares) / total}
}

// Share returns the share of the votes that are for the rival, if a prediction of it is worth some people.
func (v Votes) Share(predicted, weight float64) float64 {
	return (weight*predicted + v.Chosen) / (weight + v.Chosen + v.Refused)
}

// Points returns the tolerance ε in probability that corresponds to one in utility: at 0.2 it is 0.05,
// five points.
func Points(epsilon float64) float64 { return math.Tanh(epsilon/2) / 2 }

// LogOdds returns the lead in utility that corresponds to a share of choices, at most [MaxSpread] either way.
func LogOdds(share float64) float64 {
	return min(max(math.Log(share/(1-share)), -MaxSpread), MaxSpread)
}

// A Prediction is what is expected of the payoff of the next respondent.
type Prediction struct {
	Mean    float64 // of g
	Squares float64 // mean of g²
}

// Kelly returns the λ that maximises the expected logarithm of 1 + λg, if g has the outcomes of a
// single answer, p₀, −(1−p₀) and 0, with the predicted moments: E g/(E g² − 2ε·E g). It is limited to
// the range that keeps the capital positive at every level.
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

// Compares reports whether a question compares two arms: both are shown in equally many slots, so that
// neither has an advantage.
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
