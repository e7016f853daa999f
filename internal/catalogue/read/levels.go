package read

import (
	"slices"

	"bestpick/internal/table"
)

const (
	// fewLevels is how many levels a category may have even if most of them have one arm.
	fewLevels = 20

	// manyLevels is how many levels a category may have unless the user asks for it.
	manyLevels = 50
)

// countLevels returns how many different values there are, counting no further than one more
// than enough.
func countLevels(texts []string, enough int) int {
	levels := map[string]struct{}{}
	for _, text := range texts {
		if table.IsMissing(text) {
			continue
		}
		if levels[text] = struct{}{}; len(levels) > enough {
			break
		}
	}
	return len(levels)
}

// isFlag reports whether texts have one level, and some are missing, as in
// a column of ticks.
func isFlag(texts []string) bool {
	return slices.ContainsFunc(texts, table.IsMissing) && countLevels(texts, 1) == 1
}

// repeat reports whether texts have so few levels that they are no free text.
func repeat(texts []string) bool {
	values := 0
	for _, text := range texts {
		if !table.IsMissing(text) {
			values++
		}
	}
	levels := countLevels(texts, max(fewLevels, values/2))
	return 2*levels <= values || levels <= fewLevels && 10*levels < 9*values
}
