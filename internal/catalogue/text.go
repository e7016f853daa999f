package catalogue

import (
	"fmt"
	"strings"
)

// Enumerate returns "a, b and c", with at most maxNames names.
func Enumerate(names []string, maxNames int) string {
	if len(names) > maxNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
