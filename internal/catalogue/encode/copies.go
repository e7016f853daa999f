package encode

import (
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/internal/catalogue"
)

// CopyWarnings warns of arms that are near copies, with a function that returns their names.
func CopyWarnings(c *choice.Catalogue, name func(arm int) string) []Warning {
	pairs := nearCopies(c, name)
	if len(pairs) == 0 {
		return nil
	}
	copies := catalogue.Enumerate(pairs, maxNamed)
	return []Warning{NewWarning("", "copies", "%s seem to be copies of each other: similar options split votes, "+
		"so rank all options of a question, ask for pairs, or leave the copies out", copies)}
}

// nearCopies returns the pairs of arms whose names differ only in case and spaces, or whose features differ by less than
// a thousandth of the largest difference, but not by nothing. It compares the features of few arms only; many arms may
// share a title and differ in their attributes, as models of a product do.
func nearCopies(c *choice.Catalogue, name func(arm int) string) (pairs []string) {
	const few, small = 50, 1e-3
	pair := func(a, b int) string {
		if name(a) == name(b) {
			return c.ID(a) + " / " + c.ID(b)
		}
		return name(a) + " / " + name(b)
	}
	first := map[string]int{}
	for arm := range c.Len() {
		plain := strings.ToLower(strings.Join(strings.Fields(name(arm)), ""))
		switch other, met := first[plain]; {
		case !met:
			first[plain] = arm
		case c.Len() <= few || name(other) != name(arm):
			pairs = append(pairs, pair(other, arm))
		}
	}
	if c.Len() > few {
		return pairs
	}
	largest := 0.0
	each := func(found func(a, b int, apart float64)) {
		for a := range c.Len() {
			for b := range a {
				found(b, a, floats.Distance(c.Arm(a), c.Arm(b), 2))
			}
		}
	}
	each(func(_, _ int, apart float64) { largest = max(largest, apart) })
	each(func(a, b int, apart float64) {
		if apart > 0 && apart < small*largest && !slices.Contains(pairs, pair(a, b)) {
			pairs = append(pairs, pair(a, b))
		}
	})
	return pairs
}
