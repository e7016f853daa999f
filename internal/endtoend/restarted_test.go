package endtoend

import (
	"strings"
	"testing"
	"time"

	"bestpick/internal/testpostgres"
)

func TestPostgreSQLRestarts(t *testing.T) { databaseRestarts(t, 1, 2) }

// databaseRestarts stops PostgreSQL repeatedly, alternating between a shutdown and a crash, and
// starts it after a while. Meanwhile processes are not ready and reply with 503; then they recover.
func databaseRestarts(t *testing.T, processes, times int) {
	t.Helper()
	s := try(t, postgresDatabase(t), processes)
	for i := range times {
		s.round(func() {
			s.at.server.Down(t, []string{testpostgres.Fast, testpostgres.Immediate}[i%2])
			for _, p := range s.processes {
				if status, _, text := get(t, p.Client, "/readyz", ""); status != 503 || !strings.Contains(text, "database") {
					t.Errorf("without a database /readyz is %d %q", status, text)
				}
				if status, _, _ := get(t, p.Client, "/healthz", ""); status != 200 {
					t.Errorf("without a database /healthz is %d", status)
				}
			}
			time.Sleep(time.Duration(i%3) * 300 * time.Millisecond)
			s.at.server.Up(t)
		})
	}
	for _, p := range s.processes {
		s.eventually("it is ready again", func() bool {
			status, _, _ := get(t, p.Client, "/readyz", "")
			return status == 200
		})
	}
	s.end()
	if s.crowd.told[503] == 0 {
		t.Error("no request was rejected while the database was down")
	}
	for _, p := range s.processes {
		if log := p.log.String(); strings.Contains(log, "panic") {
			t.Error(log)
		}
	}
}
