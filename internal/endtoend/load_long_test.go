//go:build long

package endtoend

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestLongLoad: tools/load starts a server and measures it.
func TestLongLoad(t *testing.T) {
	load := filepath.Join(t.TempDir(), "load")
	if out, err := exec.CommandContext(testsupport.Limited(t), "go", "build", "-o", load, "bestpick/tools/load").CombinedOutput(); err != nil { //nolint:gosec // a path of the test
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(testsupport.Limited(t), load, "--program", program, "--json", "--clients", "8", "--answers", "200", "--for", "30s").Output() //nolint:gosec // the program just built
	testsupport.NoError(t, err)
	var report struct {
		Answers int     `json:"answers"`
		Errors  int     `json:"errors"`
		Rate    float64 `json:"answers_per_second"`
		Raw     float64 `json:"raw_answers_per_second"`
		Ratio   float64 `json:"ratio"`
		Ask     struct {
			P99 float64 `json:"p99_ms"`
		} `json:"ask"`
		Memory struct {
			Most float64 `json:"most_mb"`
		} `json:"memory"`
		Processor float64 `json:"processor_ms_per_answer"`
	}
	testsupport.NoError(t, json.Unmarshal(out, &report))
	if report.Answers < 200 || report.Answers > 208 || report.Errors > 0 || report.Rate <= 0 || report.Raw <= report.Rate ||
		report.Ratio <= 0 || report.Ask.P99 <= 0 {
		t.Errorf("%s", out)
	}
	// A server needs at least a few megabytes, and uses the processor for a part of the 30 seconds.
	if report.Memory.Most < 5 || report.Processor <= 0 || report.Processor > 1000 {
		t.Errorf("memory %v MB, %v ms per answer", report.Memory.Most, report.Processor)
	}
}

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

// TestLongValidity runs 100 studies at δ = 0.1. Fifty people answer concurrently over HTTP, think
// for a while, abandon questions, and send answers twice. At most one in ten verdicts may be wrong.
// Racing is conservative, so more than ten of a hundred would not be bad luck.
func TestLongValidity(t *testing.T) {
	const studies = 100
	at := sqliteFile(t)
	p := start(t, at, "")
	crowd := &people{
		studies: map[string]truth{}, reach: func(int) *client.Client { return p.Client },
		delay: 10 * time.Millisecond, abandon: 0.03, duplicate: 0.05, acknowledged: map[string]said{},
	}
	for i := range studies {
		world := someArms(t, 8, 0.2, uint64(i))
		crowd.studies[world.newStudy(t, p.Client, wire.Settings{K: 3, Delta: 0.1, Grace: -1, Lease: 1})] = world
	}
	begin := time.Now()
	crowd.answer(t.Context(), 50, "r")
	certified, wrong, answers := 0, 0, 0
	for id, world := range crowd.studies {
		verdict := testsupport.Value(p.Verdict(t.Context(), id)).OrFail(t)
		answers += verdict.Answers
		if verdict.Reason == "certified" {
			certified++
			if verdict.Leader.ID != world.best {
				wrong++
			}
		}
	}
	took := time.Since(begin)
	p.stop(t)
	crowd.checked(t, at)
	t.Logf("%d of %d certified, %d wrong; %d answers, %.0f per second", certified, studies, wrong, answers,
		float64(answers)/took.Seconds())
	if wrong > studies/10 || certified < studies*9/10 {
		t.Errorf("%d of %d certified, %d wrong", certified, studies, wrong)
	}
}
