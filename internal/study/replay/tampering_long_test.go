//go:build long && !race

package replay_test

import "testing"

// TestLongTampering makes every change of TestTampering.
func TestLongTampering(t *testing.T) { alterLogs(t, 1) }
