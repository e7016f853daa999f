package evidence

import (
	"math"
	"slices"
	"sort"

	"bestpick/choice"
)

// A Capital is the outcome of bets about one pair of arms.
type Capital struct {
	Logs    Logs   `json:"logs"`              // by level, after the people whose hands, and all before, have ended
	Highest Logs   `json:"highest"`           // by level, without the fakes, over all moments and prefixes
	Largest []Logs `json:"largest,omitempty"` // by level, the largest logs of factors in Logs, see [Level.Fakes]
	Bets    Bets   `json:"bets,omitempty"`    // on people after those, in the order of their arrival
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

// leastLog is the log of no capital.
const leastLog = -1e9

// NewCapital returns a capital of some size, for a number of levels.
func NewCapital(weight float64, levels int) Capital {
	log := leastLog
	if weight > 0 {
		log = math.Log(weight)
	}
	return Capital{Logs: slices.Repeat(Logs{log}, levels), Highest: slices.Repeat(Logs{log}, levels)}
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
	return sort.Search(len(c.Bets), func(i int) bool { return c.Bets[i].Arrival >= arrival })
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
	for i := range bets {
		bet := &bets[i]
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

// Bet returns the bet on a person, which may be changed at once, nil if there is none.
func (c *Capital) Bet(arrival int) *Bet {
	at := c.first(arrival)
	if at == len(c.Bets) || c.Bets[at].Arrival != arrival {
		return nil
	}
	c.change(arrival)
	return &c.Bets[at]
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

// Expected returns the log of the capital at a level of p₀, without what fakes can have added to it, if open comparisons
// turn out as predicted on arrival.
func (c *Capital) Expected(levels []Level, at int) float64 {
	level, sum := levels[at], c.balance(at)
	for _, b := range c.Bets {
		g := b.Payoff(level)
		if !b.Ended && !b.Cut {
			g += float64(b.Cards-b.Shown) / float64(b.Cards) * (b.Mean + 1 - level.Share)
		}
		sum.add(math.Log1p(b.Stake*g), level.Fakes+level.Beyond)
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
