//go:build long

package racing_test

import "testing"

// TestLongRepeatsKeepTheGuarantee: also in 1,000 studies of 5,000 answers.
func TestLongRepeatsKeepTheGuarantee(t *testing.T) { checkRepeats(t, 1000, 5000) }
