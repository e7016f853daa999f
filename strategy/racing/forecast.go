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
func (c *contest) forecast(l *leads, contenders []strategy.Standing, answered int) strategy.Forecast {
	if answered == 0 {
		return strategy.Forecast{}
	}
	now, epsilon := c.threshold(), 0.0
	for _, s := range contenders {
		now = min(now, s.Evidence)
		epsilon = max(epsilon, (s.Lead-s.Low)/math.Sqrt2-s.Lead)
	}
	// 10% of a normal distribution lie beyond 1.28. The factor 1.25 allows for the uncertainty of
	// learning. TestLongForecast counts how often the range holds.
	const doubt = 1.28 * 1.25
	xi := math.Sqrt(2 * l.signal())
	doubtful := math.Inf(1) // the least lead in standard errors, for any ε
	for place, width := range l.widths {
		if width > 0 {
			doubtful = min(doubtful, l.lead(place)/math.Sqrt(width))
		}
	}
	return strategy.Forecast{
		Known:    true,
		Median:   min(c.answersUntil(now, xi, answered), forever),
		Low:      min(c.answersUntil(now, xi+doubt, answered), forever),
		High:     min(c.answersUntil(now, xi-doubt, answered), forever),
		Hopeless: c.answersUntil(0, doubtful, answered) > certainlyOver,
		Epsilon:  epsilon * c.groups,
	}
}

// answersUntil solves the equation of forecast for the answers after which the evidence, now at the
// given log, reaches the threshold.
func (c *contest) answersUntil(now, xi float64, answered int) float64 {
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
