// Package testpostgres runs a PostgreSQL server of its own for the tests of a package.
package testpostgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// A Server is started when it is first needed. It listens on a socket in a temporary folder, so
// it is in nobody's way. It ends with the process that started it, however that ends.
type Server struct {
	start     func() error
	databases atomic.Int32

	folder string
	alive  io.Closer // the server stops when this is closed
	ended  chan struct{}
	end    error
}

// New returns a server that is not started yet.
func New() *Server {
	s := &Server{}
	s.start = sync.OnceValue(s.run)
	return s
}

var errMissing = errors.New("PostgreSQL is not installed; make setup does that")

// Database returns the address of a new database. Where there is no PostgreSQL the test is
// skipped, except under CI, where it fails.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	address, err := s.Create(t.Context())
	if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return address
}

// Create returns the address of a new database.
func (s *Server) Create(ctx context.Context) (string, error) {
	if err := s.start(); err != nil {
		return "", err
	}
	name := fmt.Sprint("test", s.databases.Add(1))
	return s.address(name), s.execute(ctx, "CREATE DATABASE "+name)
}

// Stop stops the server and removes its folder, if it was started.
func (s *Server) Stop() error {
	if s.alive == nil {
		return nil
	}
	err := s.alive.Close()
	<-s.ended
	return errors.Join(err, s.end)
}

func (s *Server) address(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + url.QueryEscape(s.folder)
}

// run starts the server and waits until it answers.
func (s *Server) run() error {
	programs, err := findPrograms()
	if err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "postgres"); err != nil {
		return err
	}
	// The server runs until the input ends, which it does when this process does.
	const script = `
		data="$1/data"
		trap '' INT
		"$0/initdb" --pgdata="$data" --username=postgres --auth=trust --no-sync --encoding=UTF8 --locale=C >&2 &&
		{ "$0/postgres" -D "$data" -k "$1" -c listen_addresses= >&2 & } &&
		cat >/dev/null
		kill -QUIT $!
		wait
		rm -rf "$1" || true`
	command, err := asOrdinaryUser(s.folder, script, programs, s.folder)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	command.Stderr = &said
	if s.alive, err = command.StdinPipe(); err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		s.end = errors.Join(command.Wait(), os.RemoveAll(s.folder))
	}()
	if err := s.ready(); err != nil {
		return errors.Join(err, s.Stop(), errors.New(said.String()))
	}
	return nil
}

// ready waits until the server answers.
func (s *Server) ready() error {
	const patience, pause = 60 * time.Second, 50 * time.Millisecond
	var err error
	for range patience / pause {
		if err = s.execute(context.Background(), "SELECT 1"); err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return err
		case <-time.After(pause):
		}
	}
	return err
}

func (s *Server) execute(ctx context.Context, query string) error {
	db, err := sql.Open("pgx", s.address("postgres"))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, query)
	return errors.Join(err, db.Close())
}

// findPrograms returns the folder with those of the server: where Debian puts them, the newest
// version first, or where they are found by name.
func findPrograms() (string, error) {
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			folders = append(folders, filepath.Dir(path))
		}
	}
	for _, folder := range folders {
		_, err := os.Stat(filepath.Join(folder, "initdb"))
		_, err2 := os.Stat(filepath.Join(folder, "postgres"))
		if err == nil && err2 == nil {
			return folder, nil
		}
	}
	return "", errMissing
}

// version is that in the path of Debian's programs.
func version(folder string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	if err != nil {
		return 0
	}
	return n
}

// asOrdinaryUser returns a shell that runs a script, and gives it a folder. PostgreSQL does not
// run as root.
func asOrdinaryUser(folder, script string, args ...string) (*exec.Cmd, error) {
	program, before := "sh", []string{"-c", script}
	if os.Geteuid() == 0 {
		name, err := giveAway(folder)
		if err != nil {
			return nil, err
		}
		program, before = "su", []string{name, "-s", "/bin/sh", "-c", script, "--"}
	}
	command := exec.CommandContext(context.Background(), program, append(before, args...)...) //nolint:gosec // the script is above
	command.Dir = folder
	return command, nil
}

// giveAway makes an ordinary user the owner of a folder and returns the name.
func giveAway(folder string) (string, error) {
	owner, err := user.Lookup("postgres")
	if err != nil {
		if owner, err = user.Lookup("nobody"); err != nil {
			return "", err
		}
	}
	uid, err := strconv.Atoi(owner.Uid)
	if err != nil {
		return "", err
	}
	gid, err := strconv.Atoi(owner.Gid)
	if err != nil {
		return "", err
	}
	return owner.Username, os.Chown(folder, uid, gid)
}
