package racing

import (
	"math"

	"bestpick/strategy"
)

const (
	certainlyOver = 1e5  // answers, more than any reasonable budget
	forever       = 1e15 // answers, the most that is forecast
)

// forecast returns how many more answers are likely to be needed. If the most doubtful arm's lead
// is ξ standard errors, the evidence E against it continues as
//
//	E(T) = E(t) + ξ²/2·(T/t − 1) − (d/2)·log(T/t),
//
// the last term being the price of learning. ξ is known up to a standard error: from the estimate,
// and from the answers to come.
func (c *contest) forecast(l *leads, contenders []strategy.Standing, answered int) strategy.Forecast {
	if answered == 0 {
		return strategy.Forecast{}
	}
	now, epsilon := c.threshold(), 0.0
	for _, s := range contenders {
		now = min(now, s.Evidence)
		epsilon = max(epsilon, (s.Lead-s.Low)/math.Sqrt2-s.Lead)
	}
	// Ten per cent of a normal distribution lie beyond 1.28; a quarter more because learning
	// is not known either. TestLongForecast counts how often the range holds.
	const doubt = 1.28 * 1.25
	xi := math.Sqrt(2 * l.signal())
	doubtful := math.Inf(1) // the least lead in standard errors, whatever ε is
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
