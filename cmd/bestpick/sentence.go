package main

import (
	"fmt"
	"math"

	"bestpick/api/wire"
	"bestpick/study"
)

// sentence says a verdict in words.
func sentence(v wire.Verdict) string {
	if v.Leader == nil {
		return "Nothing is known yet."
	}
	name := armName(*v.Leader)
	switch {
	case v.Status == string(study.Certified):
		return fmt.Sprintf("%s is best. That is wrong at most once in %.0f studies.", name, 1/v.Delta)
	case v.State == string(study.Done):
		return fmt.Sprintf("%s leads, and nothing is certain: the study is over (%s).", name, v.Reason)
	}
	text := fmt.Sprintf("%s leads, %s; evidence %.1f of %.1f", name, possible(len(v.Contenders)+v.Others), v.Evidence, v.Threshold)
	if v.Forecast.Known {
		text += "; " + likely(v.Forecast.Low, v.Forecast.High)
	}
	return text
}

// armName is what to call an arm.
func armName(arm wire.Arm) string {
	if arm.Label != "" {
		return visible(arm.Label)
	}
	return visible(arm.ID)
}

// possible says how many arms may still be better.
func possible(others int) string {
	if others == 1 {
		return "1 other is possible"
	}
	return fmt.Sprintf("%d others are possible", others)
}

// likely says how many more answers will be needed.
func likely(low, high float64) string {
	const vague = 1e6
	if high >= vague {
		return fmt.Sprintf("at least %.0f more answers, probably", math.Ceil(low))
	}
	return fmt.Sprintf("%.0f to %.0f more answers, four times of five", math.Ceil(low), math.Ceil(high))
}

// answersSaid says how many answers there are.
func answersSaid(n int) string {
	if n == 1 {
		return "1 answer"
	}
	return fmt.Sprintf("%d answers", n)
}
