//go:build long

package endtoend

import (
	"strings"
	"testing"
	"time"
)

// The faults of the short tests, many more times.
func TestLongKilledOnSQLite(t *testing.T)             { killedUnderLoad(t, sqliteFile(t), 100) }
func TestLongKilledOnPostgreSQL(t *testing.T)         { killedUnderLoad(t, postgresDatabase(t), 100) }
func TestLongPostgreSQLRestarts(t *testing.T)         { databaseRestarts(t, 1, 20) }
func TestLongPostgreSQLRestartsReplicas(t *testing.T) { databaseRestarts(t, 2, 20) }
func TestLongClockJumps(t *testing.T)                 { clockJumps(t, sqliteFile(t), 1, 20) }
func TestLongClockJumpsReplicas(t *testing.T)         { clockJumps(t, postgresDatabase(t), 2, 20) }
func TestLongConnectionsOfClients(t *testing.T)       { clientsCutOff(t, 20) }
func TestLongConnectionsOfPostgreSQL(t *testing.T)    { databaseCutOff(t, 20) }
func TestLongSilence(t *testing.T)                    { silence(t) }
func TestLongClosingCounts(t *testing.T)              { closingCounts(t, 50) }
func TestLongSweep(t *testing.T)                      { sweepOnWorkers(t, 2000) }

func TestLongRollingRestarts(t *testing.T) {
	places := map[string]func(t *testing.T) place{"PostgreSQL": postgresDatabase, "SQLite": sqliteFile}
	for name, at := range places {
		for _, front := range []balancer{nginx(), haproxy()} {
			t.Run(front.program+" "+name, func(t *testing.T) {
				rollingRestarts(t, at(t), front, rolling{people: 200, restarts: 6, think: 2 * time.Second, drain: 5 * time.Second})
			})
		}
	}
}

// TestLongTranscripts runs the commands of the documents that take minutes.
func TestLongTranscripts(t *testing.T) {
	t.Parallel()
	runTranscripts(t, "sh long")
}

// TestLongDemo: the demo reaches a verdict.
func TestLongDemo(t *testing.T) {
	line := demonstrated(t, func(answers int, line string) bool { return strings.Contains(line, " wins. ") || answers > 5000 })
	if !strings.Contains(line, "Orb wins") || !strings.Contains(line, "(95% sure)") {
		t.Error(line)
	}
}
