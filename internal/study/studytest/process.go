package studytest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
)

// A Process runs a service until it is stopped.
type Process struct {
	*Service

	Stop  func()
	mutex sync.Mutex
	said  []string // reported errors
}

// Start runs a service on a store, with the clock of the bubble.
func (s *Stage) Start(name string, store study.Store) *Process {
	s.Helper()
	return s.StartWith(store, wiring.Options{Name: name})
}

// StartWith runs a process on a store until the test ends.
func (s *Stage) StartWith(store study.Store, o wiring.Options) *Process {
	s.Helper()
	p := &Process{}
	o.Patience, o.Report = time.Minute, func(of string, err error) {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		p.said = append(p.said, fmt.Sprintf("%s: %v", of, err))
	}
	p.Service = s.ServiceOn(store, o)
	ctx, cancel := context.WithCancel(s.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	p.Stop = func() {
		cancel()
		running.Wait()
	}
	s.Cleanup(p.Stop)
	return p
}

// Reported returns the errors that the process has reported, with their studies.
func (p *Process) Reported() []string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.said
}

// Await returns how long it takes until a condition holds.
func Await(t *testing.T, what string, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > time.Minute {
			t.Fatalf("it never happens that %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
	return time.Since(began)
}

// InBubble runs a test in a synctest bubble, whose time advances when all goroutines wait.
func InBubble(t *testing.T, settings study.Settings, test func(s *Stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(Begin(t, settings)) })
}
