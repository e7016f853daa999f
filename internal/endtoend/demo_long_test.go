//go:build long

package endtoend

import (
	"strings"
	"testing"
)

// TestLongDemo: the demo reaches a verdict.
func TestLongDemo(t *testing.T) {
	line := demonstrated(t, func(answers int, line string) bool { return strings.Contains(line, " is best. ") || answers > 5000 })
	if !strings.HasSuffix(line, " Orb is best. Wrong at most once in 20.") {
		t.Error(line)
	}
}
