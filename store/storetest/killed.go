package storetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/study"
)

// What tells a test's program that it is a child: where the store is, and where to begin.
const (
	childPlace = "STORETEST_CHILD"
	childFirst = "STORETEST_FIRST"
)

// Child is for TestMain, before the tests. In a process that [Killed] started it records outcomes
// in the store and never returns; elsewhere it does nothing.
func Child(open func(place string) (Store, error)) {
	place, isChild := os.LookupEnv(childPlace)
	if !isChild {
		return
	}
	first, err := strconv.ParseInt(os.Getenv(childFirst), 10, 64)
	var store Store
	if err == nil {
		store, err = open(place)
	}
	if err == nil {
		err = recordForever(store, first, os.Stdout)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// recordForever records outcomes of the study a, of questions from the first on, from many
// goroutines, and writes the position of each to a stream when it is acknowledged.
func recordForever(store Store, first int64, acknowledged io.Writer) error {
	const goroutines = 16
	var next atomic.Int64
	next.Store(first)
	failed := make(chan error)
	for range goroutines {
		go func() {
			for {
				p := study.Position(next.Add(1) - 1)
				results, err := store.Record(context.Background(), "a", study.NoLimit, answer(p))
				if err == nil {
					err = results[0]
				}
				if err == nil {
					_, err = fmt.Fprintln(acknowledged, p)
				}
				if err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

// Killed starts this program again and again as a process that records outcomes in the store at a
// place, and kills it after a moment. What was acknowledged must be there exactly once: what is new
// after each kill, and everything in the end.
func Killed(t *testing.T, rounds int, place string, open func(place string) (Store, error)) {
	t.Helper()
	s := &stage{T: t, open: func() (Store, error) { return open(place) }}
	s.must(s.withStudy().Close())
	random := rand.New(rand.NewPCG(1, 2))
	there, total := map[study.Position]bool{}, 0
	for round := range rounds {
		const apart = 1_000_000_000 // no child gets as far as the next
		acknowledged := s.kill(place, round*apart, time.Duration(random.IntN(200))*time.Millisecond)
		s.readOn(there)
		if len(acknowledged) == 0 {
			t.Fatalf("round %d: nothing was acknowledged", round)
		}
		for _, p := range acknowledged {
			if !there[p] {
				t.Fatalf("round %d: the outcome of question %d was acknowledged and is not there", round, p)
			}
		}
		total += len(acknowledged)
	}
	all := map[study.Position]bool{}
	s.readOn(all)
	if !maps.Equal(all, there) {
		t.Errorf("%d outcomes became %d", len(there), len(all))
	}
	t.Logf("%d outcomes were acknowledged before %d kills", total, rounds)
}

// readOn opens the store and reads what is new since some questions had outcomes: each has a number
// after the others, and is of another question.
func (s *stage) readOn(there map[study.Position]bool) {
	s.Helper()
	store := s.store()
	outcomes, err := store.Log(s.Context(), "a", int64(len(there)), 1<<30)
	s.must(err)
	s.must(store.Close())
	for _, o := range outcomes {
		if o.Number != int64(len(there))+1 || there[o.Position] {
			s.Fatalf("after %d outcomes there is number %d, of question %d", len(there), o.Number, o.Position)
		}
		there[o.Position] = true
	}
}

// kill starts a child that begins with a question, kills it some time after its first
// acknowledgement, and returns what it has acknowledged.
func (s *stage) kill(place string, first int, after time.Duration) (acknowledged []study.Position) {
	s.Helper()
	child := exec.CommandContext(s.Context(), os.Args[0]) //nolint:gosec // it is this program
	child.Env = append(os.Environ(), childPlace+"="+place, childFirst+"="+strconv.Itoa(first))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	s.must(err)
	s.must(child.Start())
	var timer *time.Timer
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // what comes after the last end of a line is half a line
		}
		if timer == nil {
			timer = time.AfterFunc(after, func() { _ = child.Process.Kill() })
		}
		p, err := strconv.ParseInt(line[:len(line)-1], 10, 64)
		s.must(err)
		acknowledged = append(acknowledged, study.Position(p))
	}
	if err := child.Wait(); err == nil || child.ProcessState.Exited() {
		s.Fatalf("the child ended by itself: %v", err)
	}
	return acknowledged
}
