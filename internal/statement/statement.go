// Package statement says in one sentence what a certificate means, for managers.
package statement

import (
	"fmt"
	"math"

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
	return fmt.Sprintf("If one model describes all people, at most %d in 100 would choose another option over %s.", People(epsilon), leader)
}

// People returns how many of 100 people would choose another option over the certified one at most:
// 55 at ε = 0.2. Less than a tenth of a person is not counted.
func People(epsilon float64) int {
	const negligible = 0.1
	return int(math.Ceil(100*(0.5+evidence.Points(epsilon)) - negligible))
}
