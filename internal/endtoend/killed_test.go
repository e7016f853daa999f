package endtoend

import (
	"sync/atomic"
	"testing"

	"bestpick/client"
)

func TestKilledOnSQLite(t *testing.T)     { killedUnderLoad(t, sqliteFile(t), 5) }
func TestKilledOnPostgreSQL(t *testing.T) { killedUnderLoad(t, postgresDatabase(t), 5) }

// killedUnderLoad kills and restarts the process repeatedly while people answer.
func killedUnderLoad(t *testing.T, at place, kills int) {
	t.Helper()
	s := try(t, at, 1)
	var current atomic.Pointer[client.Client]
	current.Store(s.clients[0])
	s.crowd.reach = func(int) *client.Client { return current.Load() }
	for range kills {
		s.round(func() {
			s.processes[0].kill()
			p := start(t, at, s.clients[0].Token)
			s.processes[0], s.clients[0] = p, p.Client
			current.Store(p.Client)
		})
	}
	s.end()
}
