// Package testpostgres runs a PostgreSQL server of its own for the tests of a package.
package testpostgres

import (
	"bufio"
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
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// A Server is started when it is first needed. It listens on a socket in a temporary folder, so
// it does not conflict with other servers. It ends with the process that started it, even if that is killed.
type Server struct {
	start     func() error
	databases atomic.Int32
	prepared  sync.Once

	folder string
	alive  io.WriteCloser // takes signals for the server, which stops when this is closed
	said   *bufio.Reader  // a line when a signal has ended it
	ended  chan struct{}
	end    error
}

// How a server can be stopped.
const (
	Fast      = "INT"  // open transactions are undone, connections closed
	Immediate = "QUIT" // as if it had crashed
)

// New returns a server that is not started yet.
func New() *Server { return NewIn("") }

// NewIn returns a server that is not started yet, and will keep its data in a new folder of an existing one.
func NewIn(parent string) *Server {
	s := &Server{}
	s.start = sync.OnceValue(func() error { return s.run(parent) })
	return s
}

var errMissing = errors.New("PostgreSQL is not installed; make setup does that")

// Database returns the address of a new database. Where there is no PostgreSQL the test is
// skipped, except under CI, where it fails.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return s.database(t, func(name string) error { return s.execute(t.Context(), "CREATE DATABASE "+name) })
}

// Prepared is Database with the contents that prepare writes to a database once.
func (s *Server) Prepared(t testing.TB, prepare func(address string) error) string {
	t.Helper()
	return s.database(t, func(name string) (err error) {
		s.prepared.Do(func() {
			if err = s.execute(t.Context(), "CREATE DATABASE prepared"); err == nil {
				err = prepare(s.address("prepared"))
			}
		})
		if err != nil {
			return err
		}
		return s.execute(t.Context(), "CREATE DATABASE "+name+" TEMPLATE prepared")
	})
}

// database returns the address of a new database.
func (s *Server) database(t testing.TB, create func(name string) error) string {
	t.Helper()
	address, err := s.create(create)
	if errors.Is(err, errMissing) && os.Getenv("CI") != "true" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	return address
}

// Create returns the address of a new database.
func (s *Server) Create(ctx context.Context) (string, error) {
	return s.create(func(name string) error { return s.execute(ctx, "CREATE DATABASE "+name) })
}

func (s *Server) create(create func(name string) error) (string, error) {
	if err := s.start(); err != nil {
		return "", err
	}
	name := fmt.Sprint("test", s.databases.Add(1))
	return s.address(name), create(name)
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

// Down stops the server, in one of the two ways, until it is started by Up.
func (s *Server) Down(t testing.TB, how string) {
	t.Helper()
	if _, err := io.WriteString(s.alive, how+"\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.said.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}

// Up starts the server again, and waits until it answers.
func (s *Server) Up(t testing.TB) {
	t.Helper()
	if _, err := io.WriteString(s.alive, "start\n"); err != nil {
		t.Fatal(err)
	}
	if err := s.ready(); err != nil {
		t.Fatal(err)
	}
}

// Connections returns how many there are to the database with an address, and how many of them do something.
func (s *Server) Connections(t testing.TB, address string) (all, busy int) {
	t.Helper()
	s.read(t, address, `SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM pg_stat_activity WHERE datname = $1`,
		&all, &busy)
	return all, busy
}

// Transactions returns how many transactions the database with an address has committed or rolled back.
func (s *Server) Transactions(t testing.TB, address string) (n int) {
	t.Helper()
	s.read(t, address, `SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = $1`, &n)
	return n
}

// read reads a row of the statistics about the database with an address.
func (s *Server) read(t testing.TB, address, query string, into ...any) {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", s.address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // it was only read
	if err := db.QueryRowContext(t.Context(), query, strings.TrimPrefix(parsed.Path, "/")).Scan(into...); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) address(database string) string {
	return "postgres:///" + database + "?user=postgres&host=" + url.QueryEscape(s.folder)
}

// run starts the server and waits until it answers.
func (s *Server) run(parent string) error {
	programs, err := findPrograms()
	if err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp(parent, "postgres"); err != nil {
		return err
	}
	// The server runs until the input ends, which it does when this process does.
	const script = `
		data="$1/data"
		trap '' INT
		start() { "$0/postgres" -D "$data" -k "$1" -c listen_addresses= >&2 & }
		"$0/initdb" --pgdata="$data" --username=postgres --auth=trust --no-sync --encoding=UTF8 --locale=C >&2 || exit
		start "$1"
		while read -r line; do
			case "$line" in
			start) start "$1" ;;
			*) kill -"$line" $!; wait $!; echo ended ;;
			esac
		done
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
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	s.said = bufio.NewReader(out)
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

// pooled is the configuration of PgBouncer between the sockets of two folders.
const pooled = `[databases]
* = host=%SERVER% user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = %FOLDER%
listen_port = 6432
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 500
server_idle_timeout = 1
`

// Pooled starts a PgBouncer in transaction mode before the server, and returns a function that changes the address of a
// database to go through it. Where there is no PgBouncer the test is skipped, except under CI, where it fails.
func (s *Server) Pooled(t testing.TB) func(address string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program = "/usr/sbin/pgbouncer"
	}
	if _, err := os.Stat(program); err != nil && os.Getenv("CI") != "true" {
		t.Skip("PgBouncer is not installed; make setup does that")
	}
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "pgbouncer") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(folder, "pgbouncer.ini")
	text := strings.NewReplacer("%SERVER%", s.folder, "%FOLDER%", folder).Replace(pooled)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	command, err := asOrdinaryUser(folder, `exec "$0" "$1"`, program, config)
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = os.RemoveAll(folder)
	})
	for range 200 {
		if _, err := os.Stat(filepath.Join(folder, ".s.PGSQL.6432")); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return func(address string) string {
		parsed, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return "postgres:///" + parsed.Path[1:] + "?user=postgres&port=6432&host=" + url.QueryEscape(folder)
	}
}
