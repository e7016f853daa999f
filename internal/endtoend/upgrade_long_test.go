//go:build long

package endtoend

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// previousRelease is the commit from which a rolling upgrade must work. Set it after each release.
const previousRelease = "1015202d41e7527196766a0007564795a1934f09"

// TestLongRollingUpgrade replaces two replicas of the previous release one after the other, behind
// HAProxy, while people answer studies of several kinds and an owner reads verdicts. The first new
// process upgrades the tables while an old one serves; meanwhile an owner opens another study. No
// request fails, every acknowledged answer is in the log exactly once, no planner fails, and every
// exported log verifies. Then one replica returns to the previous release, if that accepts the tables.
func TestLongRollingUpgrade(t *testing.T) {
	const people, others, think, drain = 40, 10, 400 * time.Millisecond, 2 * time.Second
	previous := buildOf(t, previousRelease)
	f := newFleetOf(t, previous, postgresDatabase(t), haproxy(), drain)
	crowd := f.respondentsOf(think, unending()...)
	f.while(crowd, people, func() {
		f.watched(crowd, func() {
			f.build = program
			f.replace(0)
			during := f.respondentsOf(think, unending()[0])
			f.while(during, others, func() {
				f.replace(1)
				f.counts(during)
			})
			f.unharmed(during)
			f.counts(crowd)
			if f.build = previous; refuses(t, previous, f.at) {
				t.Log("the previous release refuses the upgraded tables, so no replica can return to it")
				return
			}
			f.replace(0)
			f.counts(crowd)
		})
	})
	f.unharmed(crowd)
	for _, replica := range f.replicas {
		replica.stop(t)
		f.planned(replica)
	}
}

// unending returns the settings of studies of several kinds, which do not end while a test runs.
func unending() []wire.Settings {
	all := []wire.Settings{{}, {Assume: "majority"}, {Top: 2}, {Outside: true}, {Model: &wire.Model{Slots: true}}}
	for i := range all {
		all[i].K, all[i].Delta, all[i].Grace = 3, 1e-12, -1
	}
	return all
}

// replace replaces a replica by a process of the fleet's present build.
func (f *fleet) replace(i int) {
	f.Helper()
	before := f.replicas[i]
	f.restart(i)
	f.planned(before)
}

// planned checks that a process had no error while it planned.
func (f *fleet) planned(p *process) {
	f.Helper()
	for line := range strings.Lines(p.log.String()) {
		if strings.Contains(line, "planning failed") {
			f.Errorf("the log of %s: %s", p.command.Path, line)
		}
	}
}

// watched runs do while an owner reads the verdicts.
func (f *fleet) watched(crowd *people, do func()) {
	f.Helper()
	looking, stop := context.WithCancel(f.Context())
	var owner sync.WaitGroup
	defer testsupport.Wait(t, "owner", owner.Wait)
	defer stop()
	owner.Go(func() { f.look(looking, crowd) })
	do()
}

// counts checks that answers to each study still lead to plans.
func (f *fleet) counts(crowd *people) {
	f.Helper()
	for id := range crowd.studies {
		began, first := time.Now(), time.Time{}
		for ; ; time.Sleep(50 * time.Millisecond) {
			verdict, err := f.Verdict(f.Context(), id)
			if err != nil {
				f.Errorf("reading the verdict: %v", err)
				break
			}
			if first.IsZero() {
				first = verdict.At
			}
			if verdict.At.After(first) {
				break
			}
			if time.Since(began) > 20*time.Second {
				f.Errorf("study %s: no plan since %v, %d answers are counted", id, first, verdict.Answers)
				break
			}
		}
	}
}

// refuses reports whether a program refuses to serve a database.
func refuses(t *testing.T, build string, at place) bool {
	t.Helper()
	command := exec.CommandContext(testsupport.Limited(t), build, "serve", "--listen", "127.0.0.1:0", "--database", at.database) //nolint:gosec // a program under test
	said := &lockedBuffer{}
	command.Stderr = said
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	serves := bufio.NewScanner(out).Scan()
	_ = command.Process.Kill() // it may have ended
	_ = command.Wait()         // reports the signal
	if !serves && !strings.Contains(said.String(), "the database has version") {
		t.Errorf("%s fails on the upgraded tables: %s", build, said)
	}
	return !serves
}

// buildOf builds the program of a commit and returns its path. Without the commit, as in a shallow
// clone, the test is skipped, or fails under CI.
func buildOf(t *testing.T, commit string) string {
	t.Helper()
	folder := t.TempDir()
	archive := filepath.Join(folder, "source.tar")
	out, err := exec.CommandContext(testsupport.Limited(t), "git", "-C", filepath.Join("..", ".."), "archive", "--output", archive, commit).CombinedOutput() //nolint:gosec // a constant
	if err != nil {
		const missing = "the history does not have the previous release %s, fetch it with git fetch --unshallow: %v: %s"
		if os.Getenv("CI") == "true" {
			t.Fatalf(missing, commit, err, out)
		}
		t.Skipf(missing, commit, err, out)
	}
	build := filepath.Join(folder, "bestpick")
	for _, step := range [][]string{{"tar", "-x", "-f", archive}, {"go", "build", "-o", build, "./cmd/bestpick"}} {
		command := exec.CommandContext(testsupport.Limited(t), step[0], step[1:]...) //nolint:gosec // constants and paths of the test
		command.Dir = folder
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("building the previous release: %s: %v\n%s", strings.Join(step, " "), err, out)
		}
	}
	return build
}
