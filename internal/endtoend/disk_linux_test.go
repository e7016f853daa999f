package endtoend

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"bestpick/internal/testpostgres"
	"bestpick/internal/testsupport"
)

func TestDiskFull(t *testing.T) { diskFull(t, smallDisk(t, "64m"), 1) }

// A disk has a database, and can be full.
type disk struct {
	folder string
	own    bool // a separate file system
	fill   func(t *testing.T, p *process)
	free   func(t *testing.T, p *process)
}

// smallDisk returns a separate file system in memory. If it cannot be mounted, the size of files is
// limited instead.
func smallDisk(t *testing.T, size string) disk {
	t.Helper()
	folder := testsupport.Value(os.MkdirTemp("", "disk")).OrFail(t) //nolint:usetesting // PostgreSQL runs as another user, who cannot enter t.TempDir
	t.Cleanup(func() { _ = os.RemoveAll(folder) })                  // leftover temporary files are harmless
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "mode=755,size="+size); errors.Is(err, syscall.EPERM) {
		t.Logf("%v: files are limited instead", err)
		return limitedFiles(t)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(folder, "ballast")
	return disk{
		folder: folder, own: true,
		fill: func(t *testing.T, _ *process) {
			t.Helper()
			fill(t, ballast)
		},
		free: func(t *testing.T, _ *process) {
			t.Helper()
			testsupport.NoError(t, os.Remove(ballast))
		},
	}
}

// fill writes to a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	file, err := os.Create(path)
	testsupport.NoError(t, err)
	for _, size := range []int{1 << 20, 4 << 10} {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	_ = file.Close() // the disk is full, as intended
}

// limitedFiles returns a disk that is full while a process's files may not grow.
func limitedFiles(t *testing.T) disk {
	t.Helper()
	limit := func(t *testing.T, p *process, size string) {
		t.Helper()
		out, err := exec.CommandContext(testsupport.Limited(t), "prlimit", fmt.Sprintf("--pid=%d", p.command.Process.Pid), "--fsize="+size+":unlimited").CombinedOutput() //nolint:gosec // the arguments are ours
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return disk{
		folder: t.TempDir(),
		fill: func(t *testing.T, p *process) {
			t.Helper()
			limit(t, p, "4096")
		},
		free: func(t *testing.T, p *process) {
			t.Helper()
			limit(t, p, "unlimited")
		},
	}
}

// diskFull fills the disk several times. Meanwhile the process rejects answers but stays ready,
// because it can still serve reads. Once there is space again, it accepts answers.
func diskFull(t *testing.T, on disk, times int) {
	t.Helper()
	s := try(t, fileIn(on.folder), 1)
	p := s.processes[0]
	for range times {
		s.round(func() {
			told := s.crowd.refusals()
			on.fill(t, p)
			s.eventually("answers are refused", func() bool { return s.crowd.refusals() > told+10 })
			if status, _, text := get(t, p.Client, "/readyz", ""); status != 200 {
				t.Errorf("/readyz is %d %q", status, text)
			}
			if _, _, text := get(t, p.Client, "/metrics", p.Token); !strings.Contains(text, "bestpick_store_failures_total") {
				t.Error("the metrics do not count the failures")
			}
			time.Sleep(100 * time.Millisecond)
			on.free(t, p)
		})
	}
	s.end()
	if log := p.log.String(); strings.Contains(log, "panic") || !strings.Contains(log, "the database is unavailable") {
		t.Error(log)
	}
}

// postgresFull fills the disk of PostgreSQL several times. PostgreSQL rejects writes, or stops; if
// it does not recover when there is space, it is restarted, as a supervisor would.
func postgresFull(t *testing.T, times int) {
	t.Helper()
	on := smallDisk(t, "200m")
	if !on.own {
		if os.Getenv("CI") == "true" {
			t.Fatal("a small disk cannot be mounted here")
		}
		t.Skip("a small disk cannot be mounted here")
	}
	at := databaseOn(t, testpostgres.NewIn(on.folder))
	s := try(t, at, 1)
	p := s.processes[0]
	for range times {
		s.round(func() {
			told := s.crowd.refusals()
			on.fill(t, p)
			s.eventually("answers are refused", func() bool { return s.crowd.refusals() > told+10 })
			on.free(t, p)
			if store, err := at.open(t.Context()); err == nil {
				_ = store.Close() // it has written nothing
			} else {
				at.server.Down(t, testpostgres.Fast)
				at.server.Up(t)
			}
		})
	}
	s.end()
}
