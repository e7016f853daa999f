package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/jobs"
	"bestpick/internal/testsupport"
)

// A crew runs jobs and counts the attempts by arguments. Its zero value does every job.
type crew struct {
	do func(ctx context.Context, args string) error // may be nil

	mutex    sync.Mutex
	attempts map[string]int
	log      testsupport.Log
}

// counts returns the number of attempts by arguments.
func (c *crew) counts() map[string]int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return maps.Clone(c.attempts)
}

func (c *crew) work(ctx context.Context, args string) error {
	c.mutex.Lock()
	if c.attempts == nil {
		c.attempts = map[string]int{}
	}
	c.attempts[args]++
	c.mutex.Unlock()
	if c.do == nil {
		return nil
	}
	return c.do(ctx, args)
}

// run runs the jobs of a store until stop is called or the test ends.
func (c *crew) run(t testing.TB, store Store, lease time.Duration) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		store.RunJobs(ctx, jobs.Workers{
			Deliver: func(ctx context.Context, d jobs.Delivery) error { return c.work(ctx, d.Study) },
			Erase:   func(ctx context.Context, e jobs.Erasure) error { return c.work(ctx, e.Study) },
			Log:     slog.New(slog.NewTextHandler(&c.log, nil)), Lease: lease,
		})
	})
	stop = sync.OnceFunc(func() {
		cancel()
		testsupport.Wait(t, "running jobs", running.Wait)
	})
	t.Cleanup(stop)
	return stop
}

// until waits until a condition holds.
func (s *stage) until(what string, holds func() bool) {
	s.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.Fatalf("%s: it did not happen within a minute", what)
		}
	}
}

// attempted waits until each of some jobs, and no other, was attempted once.
func (s *stage) attempted(c *crew, args ...string) {
	s.Helper()
	want := map[string]int{}
	for _, a := range args {
		want[a] = 1
	}
	s.until("all jobs were attempted", func() bool { return len(c.counts()) >= len(want) })
	if diff := cmp.Diff(want, c.counts(), sameWhenEmpty()); diff != "" {
		s.Error(diff)
	}
}

// worked runs the jobs of a store until a number of them were attempted, and returns the number of attempts by arguments.
func (s *stage) worked(store Store, words []string) string {
	s.Helper()
	n, err := strconv.Atoi(words[0])
	s.must(err)
	c := &crew{}
	stop := c.run(s, store, 0)
	s.until("all jobs were attempted", func() bool { return len(c.counts()) >= n })
	stop()
	return describe(c.counts()) + c.log.String()
}

// add adds a job.
func (s *stage) add(store Store, args string) {
	s.Helper()
	s.must(store.AddJob(s.Context(), jobs.Delivery{Study: args}, 0))
}

// jobsOnce tests that there is one job of a kind with the same arguments, until it is done.
func jobsOnce(s *stage) {
	store := s.store()
	s.add(store, "a")
	s.add(store, "a")
	entered, leave := make(chan struct{}), make(chan struct{})
	c := &crew{do: func(context.Context, string) error {
		entered <- struct{}{}
		<-leave
		return nil
	}}
	stop := c.run(s, store, 0)
	testsupport.Receive(s, "a running job", entered)
	s.add(store, "a") // while it runs
	leave <- struct{}{}
	stop()
	if n := c.counts()["a"]; n != 1 {
		s.Errorf("the job ran %d times", n)
	}
	s.add(store, "a") // it was done
	go func() { <-entered; leave <- struct{}{} }()
	stop = c.run(s, store, 0)
	s.until("the job runs again", func() bool { return c.counts()["a"] == 2 })
	stop()
}

// jobsAgain tests that a job runs until it is done: at the time that it chooses, or with backoff after errors and panics.
// Errors are logged, but not arguments.
func jobsAgain(s *stage) {
	store := s.store()
	began := time.Now()
	c := &crew{}
	c.do = func(_ context.Context, args string) error {
		switch n := c.counts()[args]; {
		case args == "chooses" && n < 3:
			return jobs.AgainError{At: time.Now().Add(-time.Second)}
		case args == "waits" && n < 2:
			return jobs.AgainError{At: time.Now().Add(time.Second)}
		case args == "confidential" && n < 2:
			return errors.New("it failed")
		case args == "panics" && n < 2:
			panic("it panicked")
		}
		return nil
	}
	want := map[string]int{"chooses": 3, "waits": 2, "confidential": 2, "panics": 2}
	for args := range want {
		s.add(store, args)
	}
	stop := c.run(s, store, 0)
	s.until("all jobs are done", func() bool { return cmp.Equal(want, c.counts()) })
	stop()
	if took := time.Since(began); took < time.Second/2 {
		s.Errorf("failed jobs were retried after %v", took)
	}
	log := c.log.String()
	for _, text := range []string{"it failed", "it panicked"} {
		if !strings.Contains(log, text) {
			s.Errorf("the log lacks %q:\n%s", text, log)
		}
	}
	if strings.Contains(log, "confidential") {
		s.Errorf("the log has arguments:\n%s", log)
	}
	if diff := cmp.Diff(want, c.counts()); diff != "" {
		s.Error(diff)
	}
}

// jobsAtOnce tests that two processes share many jobs, each of which runs once.
func jobsAtOnce(s *stage) {
	c := &crew{}
	stores := []Store{s.store(), s.store()}
	for _, store := range stores {
		c.run(s, store, 0)
	}
	var args []string
	var adders sync.WaitGroup
	for i := range 60 {
		args = append(args, strconv.Itoa(i))
		adders.Go(func() {
			if err := stores[i%2].AddJob(s.Context(), jobs.Delivery{Study: strconv.Itoa(i / 2)}, 0); err != nil {
				s.Error(err)
			}
		})
	}
	adders.Wait()
	s.until("all jobs ran", func() bool { return len(c.counts()) == len(args)/2 })
	for a, n := range c.counts() {
		if n > 2 { // twice if it was done between the calls that added it
			s.Errorf("job %s ran %d times", a, n)
		}
	}
}

// jobsDrained tests that a process that stops waits for its jobs.
func jobsDrained(s *stage) {
	store := s.store()
	s.add(store, "a")
	entered := make(chan struct{})
	var end error
	c := &crew{do: func(ctx context.Context, _ string) error {
		close(entered)
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
		}
		end = ctx.Err()
		return end
	}}
	stop := c.run(s, store, 0)
	testsupport.Receive(s, "a running job", entered)
	stop()
	s.must(end)
	after := &crew{}
	s.add(store, "b")
	after.run(s, store, 0)
	s.attempted(after, "b")
}

// jobsProlonged tests leases that are prolonged, for a store that looks for expired ones every second.
func jobsProlonged(s *stage) { s.prolongs(7 * time.Second) }

// prolongs tests that no other process runs an erasure that takes longer than the lease. The store must look for expired
// leases within the time that the job takes.
func (s *stage) prolongs(took time.Duration) {
	s.Helper()
	const lease = 4 * time.Second // long enough that a busy machine prolongs it in time
	store, other := s.store(), s.store()
	s.must(store.AddJob(s.Context(), jobs.Erasure{Study: "slow"}, 0))
	first, second := &crew{}, &crew{}
	entered := make(chan struct{})
	first.do = func(_ context.Context, args string) error {
		if args == "slow" {
			close(entered)
			time.Sleep(took)
		}
		return nil
	}
	first.run(s, store, lease)
	testsupport.Receive(s, "a running job", entered)
	second.run(s, other, lease)
	time.Sleep(took)
	s.add(other, "last")
	s.until("the last job is done", func() bool { return first.counts()["last"]+second.counts()["last"] == 1 })
	if first.counts()["slow"] != 1 || second.counts()["slow"] != 0 {
		s.Errorf("the slow job ran %d and %d times", first.counts()["slow"], second.counts()["slow"])
	}
}

// rescued tests that another process runs the job of one that is killed, and that it is the only one.
func rescued(t *testing.T, d database) {
	t.Helper()
	place := d.create(t)
	s := d.stage(t, place)
	store := s.store()
	s.add(store, "a")
	s.killAfter(place, working, func(int64) bool { return true })
	c := &crew{}
	stop := c.run(t, store, childLease)
	s.until("the job is rescued", func() bool { return len(c.counts()) > 0 })
	s.add(store, "b")
	s.attempted(c, "a", "b")
	stop()
}

// childLease is the lease of the jobs of a process that is killed.
const childLease = 2 * time.Second

// workForever runs jobs that never end, and writes a number to a stream when one starts.
func workForever(store Store, started io.Writer) error {
	store.RunJobs(context.Background(), jobs.Workers{
		Deliver: func(context.Context, jobs.Delivery) error {
			if _, err := fmt.Fprintln(started, 1); err != nil {
				return err
			}
			select {}
		},
		Log: slog.New(slog.DiscardHandler), Lease: childLease,
	})
	return errors.New("jobs ended")
}

// leavesNothing tests that neither a job that is done nor one that is removed leaves its arguments, the former within
// some time. has reports whether the place has a text.
func leavesNothing(t *testing.T, d database, place string, within time.Duration, has func(text string) bool) {
	t.Helper()
	s := d.stage(t, place)
	store, c := s.store(), &crew{}
	done := jobs.Erasure{Study: "a", Respondent: "Featherstonehaugh 1"}
	removed := jobs.Erasure{Study: "b", Respondent: "Featherstonehaugh 2"}
	s.must(store.AddJob(t.Context(), done, 0))
	s.must(store.AddJob(t.Context(), removed, 0))
	if !has(done.Respondent) || !has(removed.Respondent) {
		t.Error("jobs are not where the test looks for them")
	}
	s.must(store.RemoveJob(t.Context(), removed))
	if has(removed.Respondent) {
		t.Error("the arguments of a job that was removed are left")
	}
	if within == 0 {
		return
	}
	stop := c.run(t, store, 0)
	s.attempted(c, "a")
	for deadline := time.Now().Add(within); has(done.Respondent); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the arguments of a job that is done are left")
		}
	}
	stop()
	if c.log.String() != "" {
		t.Errorf("the log has %q", c.log.String())
	}
}
