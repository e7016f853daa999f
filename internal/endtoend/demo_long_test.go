//go:build long

package endtoend

import (
	"strings"
	"testing"
)

// TestLongDemo: the demo reaches a verdict.
func TestLongDemo(t *testing.T) {
	line := demonstrated(t, func(answers int, line string) bool { return strings.Contains(line, " wins. ") || answers > 5000 })
	if line != "Orb wins. At most 55 in 100 people would choose another option over Orb (wrong with probability at most 5%)." {
		t.Error(line)
	}
}
