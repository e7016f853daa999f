// Package statement puts results into words, for people: what a certificate means in one English sentence, and the state
// of a study in every language of the pages. Pages, API and terminal use the same sentences.
package statement

import (
	"fmt"
	"math"
	"strings"

	"bestpick/evidence"
	"bestpick/strategy"
)

// Of returns what a certificate says about the leader, within a tolerance ε in utility.
func Of(assumption strategy.Assumption, leader string, epsilon float64) string {
	switch {
	case assumption == strategy.Majority:
		return fmt.Sprintf("At most %d in 100 people would choose another option over %s.", People(epsilon), leader)
	case epsilon == 0:
		return fmt.Sprintf("If one model describes all people, %s is the best option.", leader)
	}
	return fmt.Sprintf("If one model describes all people, no option is better than %s by more than %v in utility.", leader, epsilon)
}

// Within returns what the evidence of a linear study says about the leader when the study is over and the
// leader is not certified: the smallest certified ε, as people.
func Within(leader string, epsilon float64) string {
	const text = "If one model describes all people, at most %d in 100 would choose another option over %s."
	return fmt.Sprintf(text, People(epsilon), leader)
}

// People returns how many of 100 people would choose another option over the certified one at most:
// 55 at ε = 0.2. Less than a tenth of a person is not counted.
func People(epsilon float64) int {
	const negligible = 0.1
	return int(math.Ceil(100*(0.5+evidence.Points(epsilon)) - negligible))
}

// Top returns what a linear certificate of several best options says, or of a ranking of all options, within
// a tolerance ε in utility.
func Top(names []string, ranking bool, epsilon float64) string {
	const model = "If one model describes all people, "
	list := strings.Join(names, ", ")
	switch {
	case ranking && epsilon == 0:
		return model + "the ranking of the options is " + list + "."
	case ranking:
		return fmt.Sprintf("%sno option is better than one before it by more than %v in utility: %s.", model, epsilon, list)
	case epsilon == 0:
		return fmt.Sprintf("%sthe %d best options are, in any order, %s.", model, len(names), list)
	}
	return fmt.Sprintf("%sno other option is better by more than %v in utility than any of %s.", model, epsilon, list)
}
