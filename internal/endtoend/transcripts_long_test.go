//go:build long

package endtoend

import "testing"

// TestLongTranscripts runs the commands of the documents that take minutes.
func TestLongTranscripts(t *testing.T) {
	t.Parallel()
	runTranscripts(t, "sh long")
}
