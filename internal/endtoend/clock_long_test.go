//go:build long

package endtoend

import "testing"

func TestLongClockJumps(t *testing.T)         { clockJumps(t, sqliteFile(t), 1, 20) }
func TestLongClockJumpsReplicas(t *testing.T) { clockJumps(t, postgresDatabase(t), 2, 20) }
