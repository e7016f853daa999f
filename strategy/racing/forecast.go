package racing

import (
	"math"

	"bestpick/strategy"
)

const (
	certainlyOver = 1e5  // answers, more than any reasonable budget
	forever       = 1e15 // answers, the most that is forecast
)

// forecast estimates how many more answers are needed. If the most doubtful arm's lead is ξ
// standard errors, the evidence E against it continues as
//
//	E(T) = E(t) + ξ²/2·(T/t − 1) − (d/2)·log(T/t),
//
// where the last term is the price of learning. ξ is known up to a standard error: from the
// estimate, and from the answers to come.
func (c *problem) forecast(l *leads, contenders []strategy.Standing, answered int) strategy.Forecast {
	if answered == 0 {
		return strategy.Forecast{}
	}
	now, epsilon := c.threshold(), 0.0
	for _, s := range contenders {
		now = min(now, s.Evidence)
		epsilon = max(epsilon, (s.Lead-s.Low)/math.Sqrt2-s.Lead)
	}
	// 10% of a normal distribution lie beyond 1.28. The factor 1.25 allows for the uncertainty of learning. A race stops at the
	// first fluctuation of the evidence that is large enough, so it ends sooner than its average growth predicts. These factors
	// were fitted to simulated studies; TestLongShownForecast counts others.
	const doubt, sooner, soonest = 1.28 * 1.25, 0.6, 0.3
	xi := math.Sqrt(2 * l.Signal())
	doubtful := math.Inf(1) // the least lead in standard errors, for any ε
	for place, width := range l.Widths {
		if width > 0 {
			doubtful = min(doubtful, l.Lead(place)/math.Sqrt(width))
		}
	}
	return strategy.Forecast{
		Known:    true,
		Median:   sooner * min(c.answersUntil(now, xi, answered), forever),
		Low:      soonest * min(c.answersUntil(now, xi+doubt, answered), forever),
		High:     sooner * min(c.answersUntil(now, xi-doubt, answered), forever),
		Hopeless: c.answersUntil(0, doubtful, answered) > certainlyOver,
		Epsilon:  epsilon * c.groups,
	}
}

// answersUntil solves the equation of forecast for the answers after which the evidence, now at the
// given log, reaches the threshold.
func (c *problem) answersUntil(now, xi float64, answered int) float64 {
	t, d := float64(answered), float64(c.dim())
	rate := max(xi, 0) * max(xi, 0) / 2
	evidence := func(ratio float64) float64 { return now + rate*(ratio-1) - d/2*math.Log(ratio) }
	low, high := 1.0, 2.0
	for evidence(high) < c.threshold() {
		if low, high = high, 2*high; high*t > forever {
			return math.Inf(1)
		}
	}
	for range 60 {
		if middle := (low + high) / 2; evidence(middle) < c.threshold() {
			low = middle
		} else {
			high = middle
		}
	}
	return t * (high - 1)
}

// goal returns the smallest ε that the race can expect to certify when its budget B is spent, and at
// least the ε of the settings. By then the squared widths of the leads are t/B of what they are after
// t answers, and learning costs (d/2)·log(B/t), so that arm j is still refuted at a lead of
//
//	ε_j = √(2·(log(1/δ) + (d/2)·log(B/t))·w_j·t/B) − Δ̂_j.
//
// The goal is the largest ε_j. While it is above the ε of the settings, questions and investments aim at it: at the arms that
// decide which ε is certified, rather than at the closest rivals, which the budget does not suffice to eliminate.
func (c *problem) goal(l *leads, answered int) float64 {
	budget := c.settings.Budget
	if budget == 0 || c.settings.Top != 0 {
		return c.epsilon
	}
	ratio := max(float64(budget)/float64(max(answered, 1)), 1)
	need := 2 * (c.threshold() + float64(c.dim())/2*math.Log(ratio)) / ratio
	goal := c.epsilon
	for place, width := range l.Widths {
		if width > 0 {
			goal = max(goal, math.Sqrt(need*width)-l.Lead(place))
		}
	}
	return goal
}
