// Package testsupport helps tests: waits have a limit, and data files are skipped if they are missing.
package testsupport

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// limit is how long a test waits for anything: much longer than it takes on a busy machine.
const limit = 5 * time.Minute

// Receive returns the next value of a channel. It fails the test if there is none within five minutes.
func Receive[T any](t testing.TB, what string, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(limit):
		t.Fatalf("%s: nothing came within %v", what, limit)
	}
	return value
}

// Wait calls a function that waits, such as the method Wait of a group. It fails the test if that takes longer than five
// minutes.
func Wait(t testing.TB, what string, wait func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		wait()
		close(done)
	}()
	Receive(t, what, done)
}

// Limited returns a context for a command or a request of a test. It ends after five minutes, and with the test.
func Limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// A Test is a test of package testing or rapid.
type Test interface {
	Helper()
	Fatal(arguments ...any)
}

// NoError fails the test at once if there is an error.
func NoError(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A Log is a buffer. Safe for concurrent use.
type Log struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

// Write appends to the log.
func (l *Log) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(text)
}

// String returns the log.
func (l *Log) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.String()
}

// A Result has the value and the error of a call.
type Result[T any] struct {
	value T
	err   error
}

// Value returns the result of a call that should succeed.
func Value[T any](value T, err error) Result[T] { return Result[T]{value, err} }

// OrFail returns the value, or fails the test at once if there is an error.
func (r Result[T]) OrFail(t Test) T {
	t.Helper()
	NoError(t, r.err)
	return r.value
}

// DataPath returns the path of a file with the real choice data that tests compare with published estimates. The files
// are not part of this repository, because their licences differ: see docs/data.md. DataPath skips the test if the file
// is missing. The folder defaults to ../shared/data beside the repository; the environment variable BESTPICK_DATA overrides it.
func DataPath(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(folder(t), name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is missing; see docs/data.md", path)
	}
	return path
}

func folder(t testing.TB) string {
	t.Helper()
	if folder := os.Getenv("BESTPICK_DATA"); folder != "" {
		return folder
	}
	_, here, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("the path of this source file is unknown")
	}
	return filepath.Join(filepath.Dir(here), "..", "..", "..", "shared", "data")
}
