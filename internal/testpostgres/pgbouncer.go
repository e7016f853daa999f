package testpostgres

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
