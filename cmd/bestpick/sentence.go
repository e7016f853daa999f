package main

import (
	"fmt"
	"math"

	"bestpick/internal/web"
	"bestpick/strategy"
	"bestpick/wire"
)

// sentence returns a verdict in words, as on the page of the study.
func sentence(v wire.Verdict) string {
	facts := web.Facts{
		State: v.State, Reason: v.Reason, Status: v.Status, Answers: v.Answers, More: v.Others, Delta: v.Delta, Epsilon: v.Epsilon,
		Known: v.Forecast.Known, Low: v.Forecast.Low, High: v.Forecast.High, Hopeless: v.Forecast.Hopeless,
	}
	if v.Counting != nil {
		facts.Counted, facts.Total = v.Counting.Counted, v.Counting.Total
	}
	if v.Leader != nil {
		facts.Leader = armName(*v.Leader)
	}
	for _, c := range v.Contenders {
		facts.Others = append(facts.Others, armName(c.Arm))
	}
	return web.Sentence(facts)
}

// armName returns the display name of an arm.
func armName(arm wire.Arm) string {
	if arm.Label != "" {
		return visible(arm.Label)
	}
	return visible(arm.ID)
}

// possible returns in words how many arms may still be better.
func possible(others int) string {
	if others == 1 {
		return "1 other is possible"
	}
	return fmt.Sprintf("%d others are possible", others)
}

// likely returns in words how many more answers a forecast expects.
func likely(f strategy.Forecast) string {
	const vague = 1e6
	f = f.Limited()
	switch {
	case f.Low == 0:
		return "more than 10 million more answers, probably"
	case f.High == 0 || f.High >= vague:
		return fmt.Sprintf("at least %.0f more answers, probably", math.Ceil(f.Low))
	}
	return fmt.Sprintf("%.0f to %.0f more answers, four times of five", math.Ceil(f.Low), math.Ceil(f.High))
}

// answersSaid returns the number of answers in words.
func answersSaid(n int) string {
	if n == 1 {
		return "1 answer"
	}
	return fmt.Sprintf("%d answers", n)
}
