//go:build long

package endtoend

import "testing"

func TestLongSweep(t *testing.T) { sweepOnWorkers(t, 2000) }
