//go:build long

package evidence

import "testing"

// TestLongInfimum: see checkTiltedInfima.
func TestLongInfimum(t *testing.T) { checkTiltedInfima(t, 1000) }
