package pseudonym

import (
	"strings"
	"testing"
)

// TestOf: pseudonyms differ, are short, and say nothing of the id.
func TestOf(t *testing.T) {
	const one, other = "nuwjwlcxyz", "nuwjwlcxyy"
	if Of(one) == Of(other) || len(Of(one)) != 8 || strings.Contains(one, Of(one)) || Of("") != "" {
		t.Errorf("%q, %q and %q", Of(one), Of(other), Of(""))
	}
}
