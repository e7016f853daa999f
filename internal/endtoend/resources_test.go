package endtoend

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"bestpick/internal/testsupport"
)

// Resources are the resources that a process holds.
type resources struct {
	goroutines int
	files      int // including sockets; 0 if unknown
}

// Tolerances for changes that are no leak: a process may keep or close some connections to its
// database, and become the one of all processes that maintains the jobs, in about twelve goroutines.
// Whatever leaks once per round exceeds them in twenty rounds.
const (
	moreGoroutines = 18
	moreFiles      = 16
)

// resources returns the resources of the process when no client is connected.
func (s *process) resources(t *testing.T) resources {
	t.Helper()
	s.HTTP.CloseIdleConnections()
	r := resources{goroutines: int(s.metric(t, "go_goroutines"))}
	if runtime.GOOS == "linux" {
		files := testsupport.Value(os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.command.Process.Pid))).OrFail(t)
		r.files = len(files)
	}
	return r
}

// left checks that the process releases its resources soon after all clients have disconnected.
func (s *process) left(t *testing.T, before resources) {
	t.Helper()
	eventually(t, fmt.Sprintf("the process holds little more than %+v again", before), 15*time.Second, func() bool {
		now := s.resources(t)
		return now.goroutines <= before.goroutines+moreGoroutines && now.files <= before.files+moreFiles
	})
}

// pool returns the default size of a process's pool of PostgreSQL connections.
func pool() int { return max(4, runtime.NumCPU()) }

// connected checks that processes do not exceed their pools of PostgreSQL connections and two that listen, and that no
// connection is busy without a client.
func (at place) connected(t *testing.T, processes int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d processes have few connections, none of them busy", processes), 15*time.Second, func() bool {
		all, busy := at.server.Connections(t, at.database)
		return all <= processes*(pool()+2) && busy == 0
	})
}

// metric returns the value of a metric of the process.
func (s *process) metric(t *testing.T, name string) float64 {
	t.Helper()
	status, _, text := get(t, s.Client, "/metrics", s.Token)
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
	if status != 200 || found == nil {
		t.Fatalf("%d %s", status, text)
	}
	value := testsupport.Value(strconv.ParseFloat(found[1], 64)).OrFail(t)
	return value
}
