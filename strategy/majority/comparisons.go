package majority

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

const (
	halfOnce    = 0.5  // comparisons, of an arm that a block has not shown
	leastNeed   = 0.3  // nats
	leastGrowth = 1e-4 // nats, of a comparison with an arm that seems better
	pairShare   = 0.1  // of the questions that could be rankings
	mostWorst   = 0.5  // of the comparisons, with arms that only the leaderboard needs

	// fixedPairShare is pairShare where every ranking would show all arms, so that the effect of a third arm on the
	// other two does not average out over different ones, and where one rival is left.
	fixedPairShare = 0.8
)

// comparisons chooses questions that show a nominee with its rivals. It has what is expected of all
// questions planned since the look.
type comparisons struct {
	Rivals []*openRival `json:"rivals"`
	Worst  []*openRival `json:"worst,omitempty"`  // refuted arms that the leaderboard is to show to be worse
	Others []int        `json:"others,omitempty"` // the rest
	Points float64      `json:"points"`           // ε
	Spread float64      `json:"spread"`           // variance of payoffs between people
	Each   int          `json:"each"`             // questions of a respondent: a block
	Asked  int          `json:"asked"`            // of the block so far
	Ranked bool         `json:"ranked,omitempty"` // answers order all arms that they show
	Pairs  float64      `json:"pairs,omitempty"`  // share of questions that are pairs, though they could be rankings
}

// An openRival is a rival that is not refuted.
type openRival struct {
	Arm      int     `json:"arm"`
	Need     float64 `json:"need"`     // nats of capital until it is refuted
	Mean     float64 `json:"mean"`     // expected payoff of a comparison
	Variance float64 `json:"variance"` // of that
	Shown    float64 `json:"shown"`    // comparisons in the present block of questions
}

// newComparisons returns the comparisons of the leader, or nil if it is not nominated.
func newComparisons(g *group, l *survey.Leads) *comparisons {
	n := g.election.find(l.Top)
	if n == nil {
		return nil
	}
	picks := int(math.Round(max(g.picks/max(float64(g.answers), 1), 1)))
	made := &comparisons{
		Points: g.arms.points(), Spread: g.election.spread(), Each: max(1, int(math.Round(g.each))),
		Ranked: !g.election.Partial, Pairs: pairShare,
	}
	left := g.election.rivalsLeft(g.arms, n)
	worst := g.worst(n, left)
	made.Others = slices.DeleteFunc(g.arms.present(), func(arm int) bool {
		return arm == l.Top || slices.Contains(left, arm) || slices.Contains(worst, arm)
	})
	if len(left) < g.arms.k-1 || g.arms.showAll() {
		made.Pairs = fixedPairShare
	}
	rival := func(arm int, need float64) *openRival {
		mean, variance := predictAlone(math.Exp(-l.Lead(arm)), g.arms.k, picks, made.Points)
		return &openRival{
			Arm: arm, Need: max(need, leastNeed), Variance: variance,
			Mean: n.Rivals[arm].Votes(made.Points).Update(evidence.Prediction{Mean: mean}, made.Points, modelWeight).Mean,
		}
	}
	for _, arm := range left {
		reached := n.Rivals[arm].Expected(g.arms.levels, g.election.level(g.arms))
		if n.Strata != nil {
			reached = max(n.highest(g.arms, arm, 0), math.Log(n.Weight))
		}
		threshold := g.arms.threshold()
		if len(g.arms.withdrawn) > 0 {
			threshold = g.election.thresholdAlone(g.arms, arm)
		}
		made.Rivals = append(made.Rivals, rival(arm, threshold-reached))
	}
	least := n.leastWorse(g.arms)
	for _, arm := range worst {
		made.Worst = append(made.Worst, rival(arm, least[arm]-n.Rivals[arm].Genuine(g.arms.half)))
	}
	return made
}

// worst returns the arms of the half that fewest people seem to choose over a nominee that are refuted, but not shown to be
// worse.
func (g *group) worst(n *nominee, left []int) []int {
	if g.arms.top > 1 {
		return nil
	}
	least := survey.Smallest{Size: len(g.arms.present()) / 2}
	for _, arm := range g.arms.present() {
		if share, _ := g.chosenOver(arm, n.Arm); arm != n.Arm && share < 0.5 {
			least.Offer(arm, share)
		}
	}
	return slices.DeleteFunc(least.Sorted(), func(arm int) bool {
		return arm >= len(n.Weights) || slices.Contains(left, arm) || slices.Contains(n.Worse, arm)
	})
}

// predictAlone predicts the payoff of an answer about a nominee and k − 1 arms like a rival, which is
// picked with the given odds to the nominee.
func predictAlone(odds float64, k, picks int, points float64) (mean, variance float64) {
	all := 1 + float64(k-1)*odds
	return predictPayoff(odds/all, 1/all, picks, points)
}

// growth returns what a respondent who compares a rival with the nominee a number of times is
// expected to add to the log of the capital.
func (c *comparisons) growth(r *openRival, times float64) float64 {
	return max(c.predict(r, times).Growth(c.Points)*times/max(times, 1), leastGrowth*times)
}

// predict returns what is expected of the payoff of a respondent who compares a rival with the nominee a number of times.
func (c *comparisons) predict(r *openRival, times float64) evidence.Prediction {
	once := max(times, 1)
	return evidence.Prediction{Mean: r.Mean, Squares: r.Mean*r.Mean + r.Variance/once + c.Spread*(1-1/once)}
}

// times returns how often a respondent compares each rival with the nominee, with questions of k arms.
func (c *comparisons) times(k int) float64 {
	return max(1, float64(c.Each*(k-1))/float64(max(len(c.Rivals), 1)))
}

// question returns the rivals to show with the nominee, at most size. They are drawn by the number of respondents that each
// would take, if every respondent compared it with the nominee as often as the block does so far. Some questions of rankings
// are pairs, to be compared with the rankings. The last rivals are shown in pairs with the nominee, and in a few rankings with
// others, to be compared with the pairs: arms that the leaderboard needs, and then random ones. Where one arm is picked, the
// last rivals are shown one by one, since together they may be tied with the nominee.
func (c *comparisons) question(size int, rng *rand.Rand) []int {
	if c.Ranked && size > 1 && rng.Float64() < c.Pairs || !c.Ranked && len(c.Rivals) <= size {
		size = 1
	}
	var q []int
	for range size {
		from := c.Rivals
		if len(q) >= len(c.Rivals) || len(c.Rivals) >= size && len(c.Worst) > 0 && rng.Float64() < c.worstShare() {
			from = c.Worst
		}
		q = c.pick(from, q, rng)
	}
	if c.Ranked && len(c.Rivals) < size {
		for _, i := range rng.Perm(len(c.Others))[:min(size-len(q), len(c.Others))] {
			q = append(q, c.Others[i])
		}
	}
	if c.Asked++; c.Asked >= c.Each {
		c.endBlock()
	}
	return q
}

// pick adds one of some rivals to a question, if it has not all of them.
func (c *comparisons) pick(rivals []*openRival, q []int, rng *rand.Rand) []int {
	takes := c.takes(rivals)
	for i, r := range rivals {
		if slices.Contains(q, r.Arm) {
			takes[i] = 0
		}
	}
	if floats.Sum(takes) == 0 {
		return q
	}
	drawn := rivals[draw(takes, rng)]
	drawn.Shown++
	return append(q, drawn.Arm)
}

// takes returns how many respondents each of some rivals takes.
func (c *comparisons) takes(rivals []*openRival) []float64 {
	takes := make([]float64, len(rivals))
	for i, r := range rivals {
		takes[i] = r.Need / c.growth(r, max(r.Shown, halfOnce))
	}
	return takes
}

// worstShare returns the share of comparisons with arms that only the leaderboard needs.
func (c *comparisons) worstShare() float64 {
	worst := floats.Sum(c.takes(c.Worst))
	return min(worst/(worst+floats.Sum(c.takes(c.Rivals))), mostWorst)
}

// draw returns an index with probability in proportion to its weight.
func draw(weights []float64, rng *rand.Rand) int {
	at := rng.Float64() * floats.Sum(weights)
	last := 0
	for i, w := range weights {
		if w == 0 {
			continue
		}
		if last = i; at < w {
			break
		}
		at -= w
	}
	return last
}

// endBlock takes what a respondent is expected to add off the needs.
func (c *comparisons) endBlock() {
	for _, r := range slices.Concat(c.Rivals, c.Worst) {
		if r.Shown > 0 {
			r.Need = max(r.Need-c.growth(r, r.Shown), leastNeed)
		}
		r.Shown = 0
	}
	c.Asked = 0
}

// forecast returns how many more answers are likely, after t of them: with a share s of the needed evidence
// against the most doubtful rival the study ends with (1.2 − 0.2s)·t to (3.65 − 1.25s)·t answers. These lines were
// fitted to simulated studies of three crowds, where they hold in four of five updates; TestLongMajorityForecast
// counts others. There is no forecast before a fifth of the evidence.
func (c *comparisons) forecast(contenders []strategy.Standing, needed float64, k, answered int) strategy.Forecast {
	const leastShare = 0.2
	share, t := 1.0, float64(answered)
	for _, s := range contenders {
		share = min(share, s.Evidence/needed)
	}
	if share < leastShare {
		return strategy.Forecast{}
	}
	low, high := 0.2*(1-share)*t, (2.65-1.25*share)*t
	return strategy.Forecast{Known: true, Low: low, Median: min(max(c.answers(k), low), high), High: high}
}

// answers returns how many more answers the comparisons take on average, with questions of k arms: if a respondent
// compares every rival with the nominee equally often.
func (c *comparisons) answers(k int) float64 {
	times, answers := c.times(k), 0.0
	for _, r := range c.Rivals {
		answers += r.Need / c.growth(r, times) * times / float64(k-1)
	}
	return max(answers, 1)
}

// usualSpread is the variance of payoffs between people as races estimate it.
const usualSpread = 0.003

// ExpectAnswers estimates how many answers it takes to refute all rivals of a nominee, each by a number of
// nats: with questions of k arms, of which some are ranked, and respondents who answer a number of them.
// Rivals are picked with the given odds to the nominee. What fakes can add to a capital is needed besides.
func ExpectAnswers(odds []float64, need, epsilon float64, k, picks, each, fakes int) float64 {
	c := comparisons{Points: evidence.Points(epsilon), Each: each, Spread: usualSpread}
	for _, of := range odds {
		mean, variance := predictAlone(of, k, picks, c.Points)
		c.Rivals = append(c.Rivals, &openRival{Need: need, Mean: mean, Variance: variance})
	}
	for _, r := range c.Rivals {
		p := c.predict(r, c.times(k))
		best := min(0.5+c.Points, p.Mean+2*math.Sqrt(p.Squares-p.Mean*p.Mean)) // payoff
		r.Need += float64(fakes) * math.Log1p(p.Kelly(c.Points)*best)
	}
	return c.answers(k)
}
