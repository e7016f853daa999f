package endtoend

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/store/postgres"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/testpostgres"
	"bestpick/internal/testsupport"
)

var program string // the path of bestpick, built for these tests

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "bestpick-")
	if err != nil {
		log.Fatal(err)
	}
	program = filepath.Join(folder, "bestpick")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "bestpick/cmd/bestpick") //nolint:gosec // a path of the test
	if out, err := build.CombinedOutput(); err != nil {
		log.Fatalf("%v\n%s", err, out)
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		log.Print(err)
	}
	os.Exit(code)
}

// A place is a database, with a function that opens it.
type place struct {
	database string
	open     func(ctx context.Context) (study.Store, error)
	server   *testpostgres.Server // nil for a file
}

// sqliteFile returns a new SQLite database.
func sqliteFile(t *testing.T) place {
	t.Helper()
	return fileIn(t.TempDir())
}

func fileIn(folder string) place {
	path := filepath.Join(folder, "studies.db")
	return place{database: path, open: func(context.Context) (study.Store, error) { return sqlite.Open(path) }} //nolint:contextcheck // opening a file does not block
}

// postgresDatabase returns a new database on a PostgreSQL server that is started for the test.
func postgresDatabase(t *testing.T) place {
	t.Helper()
	return databaseOn(t, testpostgres.New())
}

func databaseOn(t *testing.T, server *testpostgres.Server) place {
	t.Helper()
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return databaseAt(server.Database(t), server)
}

func databaseAt(url string, server *testpostgres.Server) place {
	return place{url, func(ctx context.Context) (study.Store, error) { return postgres.Open(ctx, url) }, server}
}

// A process is a running bestpick serve.
type process struct {
	*client.Client

	command *exec.Cmd
	ended   chan error
	log     *lockedBuffer
}

// start starts bestpick serve, and waits until it prints its address. token is the owner's token,
// or empty for the first process of a database, which prints it.
func start(t *testing.T, p place, token string, flags ...string) *process {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, append([]string{"serve", "--listen", "127.0.0.1:0", "--database", p.database}, flags...)...) //nolint:gosec // the program under test
	s := &process{command: command, ended: make(chan error, 1), log: &lockedBuffer{}}
	s.command.Stderr = s.log
	out := testsupport.Value(s.command.StdoutPipe()).OrFail(t)
	testsupport.NoError(t, s.command.Start())
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	lines := bufio.NewScanner(out)
	address := regexp.MustCompile(`^Listening on (https?://\S+)`)
	url := ""
	for url == "" || token == "" {
		if !lines.Scan() {
			t.Fatalf("the output of bestpick serve ends: %v\n%s", lines.Err(), s.log)
		}
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			url = found[1]
		}
		if secret, is := strings.CutPrefix(lines.Text(), "owner token, shown this once: "); is {
			token = secret
		}
	}
	go func() {
		for lines.Scan() {
		}
		s.ended <- s.command.Wait()
	}()
	s.Client = &client.Client{URL: url, Token: token, HTTP: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 100}, Timeout: 20 * time.Second,
	}}
	return s
}

// kill ends the process without a chance to clean up, like a power failure.
func (s *process) kill() {
	_ = s.command.Process.Kill() // it may have ended
	_ = s.end()
}

// stop ends the process with a signal, and checks that it exits successfully.
func (s *process) stop(t *testing.T) {
	t.Helper()
	s.signal(t, syscall.SIGTERM)
	if err := s.end(); err != nil {
		t.Errorf("the process ended with %v\n%s", err, s.log)
	}
}

// signal sends a signal to the process.
func (s *process) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	testsupport.NoError(t, s.command.Process.Signal(signal))
}

// end waits until the process has ended.
func (s *process) end() error {
	const limit = 2 * time.Minute
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(limit):
		return fmt.Errorf("it has not ended within %v", limit)
	}
}

// eventually waits until a condition holds, and fails the test if it does not within a time.
func eventually(t *testing.T, what string, within time.Duration, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > within {
			t.Fatalf("waited %v until %s", within, what)
		}
	}
}

// A lockedBuffer is the log of a process. Safe for concurrent use.
type lockedBuffer struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.buffer.String()
}

// verified exports a study, and has bestpick verify recompute its verdict.
func verified(t *testing.T, c *client.Client, id string) []byte {
	t.Helper()
	var export bytes.Buffer
	testsupport.NoError(t, c.Export(t.Context(), id, "log", "", &export))
	key := testsupport.Value(c.PublicKey(t.Context())).OrFail(t)
	if out, err := verify(t, export.Bytes(), "--public-key", key); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return export.Bytes()
}

func verify(t *testing.T, export []byte, flags ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "export.jsonl")
	testsupport.NoError(t, os.WriteFile(path, export, 0o600))
	out, err := exec.CommandContext(testsupport.Limited(t), program, append([]string{"verify", path}, flags...)...).CombinedOutput() //nolint:gosec // the program under test
	return string(out), err
}

// exitStatus returns the exit status in an error.
func exitStatus(err error) int {
	if err == nil {
		return 0
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return -1
}
