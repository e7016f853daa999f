package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// formatAllowed lists files with the number of their violations.
func formatAllowed(found map[string][]violation) string {
	var text strings.Builder
	for _, path := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&text, "%d %s\n", len(found[path]), path)
	}
	return text.String()
}

// parseAllowed reads a list of files with numbers.
func parseAllowed(text string) (map[string]int, error) {
	allowed := map[string]int{}
	for line := range strings.Lines(text) {
		number, path, found := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(number)
		if err != nil || !found || n < 1 {
			return nil, fmt.Errorf("%s: %q is not a number and a path", allowList, line)
		}
		allowed[path] = n
	}
	return allowed, nil
}
