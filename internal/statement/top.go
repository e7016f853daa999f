package statement

import (
	"fmt"
	"strings"
)

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
