package endtoend

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Resources are what a process holds.
type resources struct {
	goroutines int
	files      int // with sockets; 0 where that cannot be known
}

// A little more than before is no leak: a process keeps some connections to its database, or closes them, as
// it sees fit. Whatever leaks once in a round leaks more than that in twenty.
const (
	moreGoroutines = 8
	moreFiles      = 16
)

// resources returns what the process holds when everybody has gone.
func (s *process) resources(t *testing.T) resources {
	t.Helper()
	s.HTTP.CloseIdleConnections()
	status, _, text := get(t, s.Client, "/metrics", s.Token)
	found := regexp.MustCompile(`(?m)^go_goroutines (\d+)$`).FindStringSubmatch(text)
	if status != 200 || found == nil {
		t.Fatalf("%d %s", status, text)
	}
	goroutines, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	r := resources{goroutines: goroutines}
	if runtime.GOOS == "linux" {
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.command.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		r.files = len(files)
	}
	return r
}

// left checks that the process holds again what it held before, soon after everybody has gone.
func (s *process) left(t *testing.T, before resources) {
	t.Helper()
	const soon = 15 * time.Second
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		now := s.resources(t)
		if now.goroutines <= before.goroutines+moreGoroutines && now.files <= before.files+moreFiles {
			return
		}
		if time.Since(began) > soon {
			t.Errorf("the process held %+v and holds %+v", before, now)
			return
		}
	}
}

// pool is how many connections to PostgreSQL a process keeps at most, unless its address says otherwise.
func pool() int { return max(4, runtime.NumCPU()) }

// connected checks that processes have no more connections to PostgreSQL than they may, and that none of these is
// busy for nobody.
func (at place) connected(t *testing.T, processes int) {
	t.Helper()
	const soon = 15 * time.Second
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		all, busy := at.server.Connections(t, at.database)
		if all <= processes*pool() && busy == 0 {
			return
		}
		if time.Since(began) > soon {
			t.Errorf("%d processes have %d connections, of which %d are busy", processes, all, busy)
			return
		}
	}
}
