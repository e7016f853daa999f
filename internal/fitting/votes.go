package fitting

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// explainVotes states an estimator's error in terms of items and votes.
func explainVotes(free *choice.Free, err error) error {
	if groups := free.Groups(); len(groups) > 1 {
		first := free.Names()[groups[1][0]]
		return fmt.Errorf("the items fall into %d groups with no vote between them (%q is not in the largest), so their utilities cannot be compared", len(groups), first)
	}
	var separated *choice.SeparationError
	switch {
	case !errors.As(err, &separated):
		return err
	case separated.Together:
		leader := free.Names()[floats.MaxIdx(separated.Direction)]
		return fmt.Errorf("a group of items with %q in it won every vote against the others, so the best utilities are infinite; leave items out, or use --ridge", leader)
	default:
		item := separated.Names[0]
		did := "lost"
		if least, _ := free.Margins(indicator(free.Names(), item)); least >= 0 {
			did = "won"
		}
		return fmt.Errorf("%q %s every vote it was in, so its best utility is infinite; leave it out, or use --ridge", item, did)
	}
}

// indicator returns the direction along which only the utility of one item moves.
func indicator(items []string, item string) []float64 {
	v := make([]float64, len(items))
	v[slices.Index(items, item)] = 1
	return v
}
