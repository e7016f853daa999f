package racing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"bestpick/evidence"
	"bestpick/strategy"
)

const (
	halfOnce    = 0.5  // comparisons, of an arm that a block has not shown
	leastNeed   = 0.3  // nats
	leastGrowth = 1e-4 // nats, of a comparison with an arm that seems better
)

// A campaign chooses questions that compare a nominee with its rivals. It has what is expected of all
// questions planned since the look.
type campaign struct {
	Rivals []opponent `json:"rivals"`
	Points float64    `json:"points"` // ε
	Spread float64    `json:"spread"` // variance of payoffs between people
	Each   int        `json:"each"`   // questions of a respondent
	Asked  int        `json:"asked"`  // of the block so far
}

// An opponent is a rival that is not refuted.
type opponent struct {
	Place    int     `json:"place"`
	Need     float64 `json:"need"`     // nats of capital until it is refuted
	Mean     float64 `json:"mean"`     // expected payoff of a comparison
	Variance float64 `json:"variance"` // of that
	Shown    float64 `json:"shown"`    // comparisons in the present block of questions
}

// newCampaign returns the campaign of the leader, or nil if it is not nominated.
func (e *electorate) newCampaign(l *leads) *campaign {
	n := e.election.find(l.leader)
	if n == nil {
		return nil
	}
	picks := e.turnout.Picks / max(float64(e.turnout.Answers), 1)
	made := &campaign{Points: e.contest.points(), Spread: e.election.spread(), Each: max(1, int(math.Round(e.turnout.Each)))}
	others := float64(e.contest.settings.K - 1)
	for _, arm := range e.election.standing(e.contest, n) {
		odds := math.Exp(-l.lead(l.place(arm)))
		all := 1 + others*odds
		mean, variance := expectPayoff(odds/all, 1/all, int(math.Round(max(picks, 1))), made.Points)
		made.Rivals = append(made.Rivals, opponent{
			Place: l.place(arm), Need: max(e.election.threshold(e.contest)-n.Log(arm), leastNeed), Variance: variance,
			Mean: n.Rivals[arm].Update(evidence.Prediction{Mean: mean}, made.Points, modelWeight).Mean,
		})
	}
	return made
}

// growth returns what a respondent who compares an opponent with the nominee a number of times is
// expected to add to the log of the capital.
func (m *campaign) growth(o *opponent, times float64) float64 {
	once := max(times, 1)
	p := evidence.Prediction{Mean: o.Mean, Squares: o.Mean*o.Mean + o.Variance/once + m.Spread*(1-1/once)}
	return max(p.Growth(m.Points)*times/once, leastGrowth*times)
}

// question returns the places of the opponents to show with the nominee, at most size. They are drawn
// by the number of respondents that each would take, if every respondent compared it with the nominee
// as often as the block does so far.
func (m *campaign) question(size int, rng *rand.Rand) []int {
	if len(m.Rivals) <= size {
		size = 1 // the last opponents one by one, since together they may be tied with the nominee
	}
	var q []int
	takes := make([]float64, len(m.Rivals))
	for i := range m.Rivals {
		o := &m.Rivals[i]
		takes[i] = o.Need / m.growth(o, max(o.Shown, halfOnce))
	}
	for len(q) < min(size, len(m.Rivals)) {
		drawn := draw(takes, rng)
		takes[drawn] = 0
		m.Rivals[drawn].Shown++
		q = append(q, m.Rivals[drawn].Place)
	}
	if m.Asked++; m.Asked >= m.Each {
		m.endBlock()
	}
	return q
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
func (m *campaign) endBlock() {
	for i := range m.Rivals {
		o := &m.Rivals[i]
		if o.Shown > 0 {
			o.Need = max(o.Need-m.growth(o, o.Shown), leastNeed)
		}
		o.Shown = 0
	}
	m.Asked = 0
}

// forecast returns how many more answers the campaign is likely to take, with questions of k arms: if
// a respondent compares every opponent with the nominee equally often. Half and two and a half times
// the median are a rule of thumb.
func (m *campaign) forecast(k int) strategy.Forecast {
	times := max(1, float64(m.Each*(k-1))/float64(max(len(m.Rivals), 1)))
	answers := 0.0
	for i := range m.Rivals {
		o := &m.Rivals[i]
		answers += o.Need / m.growth(o, times) * times / float64(k-1)
	}
	answers = max(answers, 1)
	return strategy.Forecast{Known: true, Low: answers / 2, Median: answers, High: 2.5 * answers}
}
