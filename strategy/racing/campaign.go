package racing

import (
	"math"
	"slices"

	"bestpick/evidence"
	"bestpick/strategy"
)

const (
	halfOnce  = 0.5 // comparisons, of an arm that a block has not shown
	leastNeed = 0.3 // nats
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
func (r *Racing) newCampaign() *campaign {
	s, c := &r.state, &r.contest
	n := s.Election.find(s.Leader)
	if n < 0 {
		return nil
	}
	picks := r.tally.Picks() / max(float64(s.Respondents.Entered), 1)
	made := &campaign{Points: c.points(), Spread: s.Election.spread(), Each: max(1, int(math.Round(s.Respondents.each())))}
	others := float64(c.settings.K - 1)
	for _, arm := range s.Election.standing(c, n) {
		m := &s.Election.Nominees[n].Rivals[arm]
		odds := math.Exp(-r.leads.lead(r.leads.place(arm)))
		all := 1 + others*odds
		mean, variance := expectPayoff(odds/all, 1/all, int(math.Round(max(picks, 1))), made.Points)
		made.Rivals = append(made.Rivals, opponent{
			Place: r.leads.place(arm), Need: max(s.Election.threshold(c, n)-m.Log(), leastNeed), Variance: variance,
			Mean: m.Update(evidence.Prediction{Mean: mean}, made.Points, modelWeight).Mean,
		})
	}
	return made
}

// growth returns what a respondent who compares an opponent with the nominee so many times is
// expected to add to the log of the capital.
func (m *campaign) growth(o *opponent, times float64) float64 {
	once := max(times, 1)
	p := evidence.Prediction{Mean: o.Mean, Squares: o.Mean*o.Mean + o.Variance/once + m.Spread}
	return max(p.Growth(m.Points)*times/once, leastGrowth*times)
}

// question returns the places of the opponents to show with the nominee, at most size: one after the
// other the one that would take most respondents, if each of them compared it with the nominee as
// often as the block does so far.
func (m *campaign) question(size int) []int {
	var q []int
	for len(q) < min(size, len(m.Rivals)) {
		most, longest := -1, 0.0
		for i := range m.Rivals {
			o := &m.Rivals[i]
			if takes := o.Need / m.growth(o, max(o.Shown, halfOnce)); !slices.Contains(q, o.Place) && (most < 0 || takes > longest) {
				most, longest = i, takes
			}
		}
		m.Rivals[most].Shown++
		q = append(q, m.Rivals[most].Place)
	}
	if m.Asked++; m.Asked >= m.Each {
		m.endBlock()
	}
	return q
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
