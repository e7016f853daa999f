package storetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/study"
)

// childPlace names the variable that tells a test's program that it is a child, and where.
const childPlace = "STORETEST_CHILD"

// Child is for TestMain, before the tests. In a process that [Killed] started it records outcomes
// in the store and never returns; elsewhere it does nothing.
func Child(open func(place string) (Store, error)) {
	place, isChild := os.LookupEnv(childPlace)
	if !isChild {
		return
	}
	store, err := open(place)
	if err == nil {
		err = recordForever(store, os.Stdout)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// recordForever records outcomes of the study a from many goroutines, and writes the position of
// each to a stream when it is acknowledged. It goes on from those that are there.
func recordForever(store Store, acknowledged io.Writer) error {
	const goroutines = 16
	there, err := store.Log(context.Background(), "a", 0, 1<<30)
	if err != nil {
		return err
	}
	var next atomic.Int64
	for _, o := range there {
		next.Store(max(next.Load(), int64(o.Position)+1))
	}
	failed := make(chan error)
	for range goroutines {
		go func() {
			for {
				p := study.Position(next.Add(1))
				results, err := store.Record(context.Background(), "a", answer(p))
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
// place, and kills it after a moment. What was acknowledged must be there exactly once.
func Killed(t *testing.T, rounds int, place string, open func(place string) (Store, error)) {
	t.Helper()
	s := &stage{T: t, open: func() (Store, error) { return open(place) }}
	store := s.withStudy()
	s.must(store.Close())
	random := rand.New(rand.NewPCG(1, 2))
	acknowledged := map[study.Position]bool{}
	for round := range rounds {
		before := len(acknowledged)
		s.kill(place, time.Duration(random.IntN(200))*time.Millisecond, acknowledged)
		store := s.store()
		outcomes := s.log(store, "a")
		s.must(store.Close())
		s.numbered(outcomes)
		times := map[study.Position]int{}
		for _, o := range outcomes {
			times[o.Position]++
		}
		for p := range acknowledged {
			if times[p] != 1 {
				t.Fatalf("round %d: outcome of question %d was acknowledged and is there %d times", round, p, times[p])
			}
		}
		if len(times) != len(outcomes) {
			t.Fatalf("round %d: %d outcomes of %d questions", round, len(outcomes), len(times))
		}
		if len(acknowledged) == before {
			t.Fatalf("round %d: nothing was acknowledged", round)
		}
	}
	t.Logf("%d outcomes were acknowledged before %d kills", len(acknowledged), rounds)
}

// kill starts a child, kills it some time after its first acknowledgement, and adds what it has
// acknowledged.
func (s *stage) kill(place string, after time.Duration, acknowledged map[study.Position]bool) {
	s.Helper()
	child := exec.CommandContext(s.Context(), os.Args[0]) //nolint:gosec // it is this program
	child.Env = append(os.Environ(), childPlace+"="+place)
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
		acknowledged[study.Position(p)] = true
	}
	if err := child.Wait(); err == nil || child.ProcessState.Exited() {
		s.Fatalf("the child ended by itself: %v", err)
	}
}
