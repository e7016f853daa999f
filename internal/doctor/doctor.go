// Package doctor checks the configuration, the database and the machine of a server, and changes nothing.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"bestpick/internal/store"
	"bestpick/internal/terminal"
)

// A Condition is the severity of a finding.
type Condition string

// The conditions.
const (
	Healthy Condition = "ok"
	Warning Condition = "warning" // works, but needs attention
	Problem Condition = "problem"
)

// A Finding is the result of one check.
type Finding struct {
	Check   string    `json:"check"`
	Status  Condition `json:"status"`
	Message string    `json:"message"` // the state, and what to do about it
}

// Check checks a server with a database, which [store.Open] would open, that is to listen on an address.
func Check(ctx context.Context, path, listen string) []Finding {
	findings := []Finding{checkConfiguration(path)}
	if store.IsPostgres(path) {
		findings = append(findings, checkPostgres(ctx, path)...)
	} else {
		findings = append(findings, checkFile(ctx, path)...)
	}
	return append(findings, checkAddress(ctx, listen))
}

// checkClock compares the clock with the clock of the database server, if there is one, and with the times in
// the database. Planning leases last two seconds, so clocks must agree.
func checkClock(now time.Time, r store.Report) Finding {
	const name = "clock"
	const made, last = 2026, 2100 // years in which this program may run
	const slight, grave = time.Second, 2 * time.Second
	apart := now.Sub(r.Now).Abs()
	switch {
	case now.Year() < made || now.Year() > last:
		return Finding{name, Problem, fmt.Sprintf("the clock says %s: set it", now.Format(time.RFC3339))}
	case !r.Now.IsZero() && apart > grave:
		return Finding{name, Problem, fmt.Sprintf("the clock differs from the database's by %.1f s: synchronise both with NTP",
			apart.Seconds())}
	case r.Last.After(now.Add(grave)):
		return Finding{name, Problem, fmt.Sprintf("the last answer is from %s, in the future: "+
			"the clock of this machine is wrong, or of another one was", r.Last.Format(time.RFC3339))}
	case !r.Now.IsZero() && apart > slight:
		return Finding{name, Warning, fmt.Sprintf("the clock differs from the database's by %.1f s: synchronise both with NTP",
			apart.Seconds())}
	case !r.Now.IsZero():
		return Finding{name, Healthy, now.UTC().Format(time.RFC3339) + ", the same as the database's"}
	}
	return Finding{name, Healthy, now.UTC().Format(time.RFC3339)}
}

// checkSpace checks that a folder has room for more answers and for a backup.
func checkSpace(folder string, size int64) Finding {
	free, err := freeSpace(folder)
	if err != nil {
		return Finding{"space", Warning, fmt.Sprintf("the free space is unknown: %v", err)}
	}
	return judgeSpace(free, size)
}

func judgeSpace(free, size int64) Finding {
	const name, least = "space", 100 << 20
	left := megabytes(free) + " are left"
	switch {
	case free < least:
		return Finding{name, Problem, left + ": answers are refused when none is left; make room"}
	case free < 2*size:
		return Finding{name, Warning, fmt.Sprintf("%s, and the database takes %s: little room for growth and for a backup",
			left, megabytes(size))}
	}
	return Finding{name, Healthy, left}
}

func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", bytes>>20) }

// checkAddress checks that a server can listen on an address.
func checkAddress(ctx context.Context, listen string) Finding {
	const name = "address"
	listener, err := net.Listen("tcp", listen) //nolint:noctx // listening does not block
	switch {
	case errors.Is(err, syscall.EADDRINUSE) && isAlive(ctx, listen):
		return Finding{name, Healthy, listen + " is that of a running server"}
	case errors.Is(err, syscall.EADDRINUSE):
		return Finding{name, Warning, listen + " is in use by another program: choose another address with --listen"}
	case err != nil:
		return Finding{name, Problem, fmt.Sprintf("%v: choose another address with --listen", err)}
	}
	if err := listener.Close(); err != nil {
		return Finding{name, Problem, err.Error()}
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok && address.IP.IsLoopback() {
		return Finding{name, Healthy, listen + " is free, and reachable from this machine only"}
	}
	return Finding{name, Healthy, listen + " is free, and reachable from other machines: use TLS, here or at a proxy"}
}

// isAlive reports whether a server without TLS replies at an address as bestpick does.
func isAlive(ctx context.Context, listen string) bool {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+net.JoinHostPort(cmp.Or(host, "localhost"), port)+"/healthz", nil)
	if err != nil {
		return false
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = reply.Body.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(reply.Body, 100))
	return err == nil && reply.StatusCode == http.StatusOK && string(text) == "alive\n"
}

// checkConfiguration describes the database that a server would use.
func checkConfiguration(path string) Finding {
	const name = "configuration"
	if !store.IsPostgres(path) {
		if strings.Contains(path, "://") {
			return Finding{name, Problem, path + " must be a file, or an address that begins with postgres://"}
		}
		return Finding{name, Healthy, fmt.Sprintf("SQLite in %s, for the processes of one machine", path)}
	}
	config, err := pgx.ParseConfig(path)
	if err != nil {
		return Finding{name, Problem, err.Error()}
	}
	return Finding{name, Healthy, fmt.Sprintf("PostgreSQL at %s, database %s, user %s", config.Host, config.Database, config.User)}
}

// checkFile checks an SQLite file and the folder it is in.
func checkFile(ctx context.Context, path string) []Finding {
	folder := filepath.Dir(path)
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return []Finding{
			{"store", Healthy, "the file does not exist yet; bestpick serve creates it"},
			checkFolder(folder),
			checkClock(time.Now(), store.Report{}), checkSpace(folder, 0),
		}
	}
	report, err := store.Inspect(ctx, path)
	findings := []Finding{checkStore(report, err, "stop all processes, keep a copy of the file, and restore the last backup")}
	if err == nil {
		findings = append(findings, checkWriting(store.TryWrite(ctx, path),
			"its owner must be the one who runs bestpick, who must be allowed to write to the folder, too"))
	}
	return append(findings, checkPermissions(path), checkClock(time.Now(), report), checkSpace(folder, report.Bytes))
}

// checkPostgres checks a database on a server.
func checkPostgres(ctx context.Context, path string) []Finding {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	report, err := store.Inspect(ctx, path)
	findings := []Finding{checkStore(report, err, "check that the server runs, and the address, user and password")}
	if err != nil {
		return findings
	}
	return append(findings, checkWriting(store.TryWrite(ctx, path),
		"the user needs the right to create tables and to write to them, on a server that is no standby"),
		checkClock(time.Now(), report),
		Finding{"space", Healthy, fmt.Sprintf("the database takes %s; check the free space on its server", megabytes(report.Bytes))})
}

// checkStore summarises the contents of a database, or says why it cannot be used, with a remedy.
func checkStore(r store.Report, err error, remedy string) Finding {
	const name = "store"
	switch {
	case errors.Is(err, store.ErrForeign):
		return Finding{name, Problem, "the database belongs to another program: choose another one"}
	case err != nil:
		return Finding{name, Problem, fmt.Sprintf("%v; %s", err, remedy)}
	case r.Check() != nil:
		return Finding{name, Problem, r.Check().Error() + ": use a newer one"}
	case r.Version == 0:
		return Finding{name, Healthy, "the database is empty; bestpick serve creates the tables"}
	case r.Version < r.Newest:
		return Finding{name, Warning, fmt.Sprintf("version %d; bestpick serve upgrades it to version %d, "+
			"which cannot be undone: make a backup before; %s", r.Version, r.Newest, Contents(r))}
	}
	sound := ""
	if r.Sound {
		sound = ", not damaged"
	}
	return Finding{name, Healthy, fmt.Sprintf("version %d%s; %s", r.Version, sound, Contents(r))}
}

const writing = "writing"

// checkWriting checks that the database is writable.
func checkWriting(err error, remedy string) Finding {
	if err != nil {
		return Finding{writing, Problem, fmt.Sprintf("the database is not writable: %v; %s", err, remedy)}
	}
	return Finding{writing, Healthy, "the database is writable"}
}

// checkFolder checks that a file can be created in a folder.
func checkFolder(folder string) Finding {
	file, err := os.CreateTemp(folder, ".bestpick-doctor-*")
	if err != nil {
		return Finding{writing, Problem, fmt.Sprintf("no file can be created in %s: %v", folder, errors.Unwrap(err))}
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return Finding{writing, Problem, err.Error()}
	}
	return Finding{writing, Healthy, "the file can be created"}
}

// checkPermissions checks that other users cannot read the database and its secret.
func checkPermissions(path string) Finding {
	const name, others = "permissions", 0o077
	for _, file := range []string{path, path + "-wal", path + "-shm", path + ".secret"} {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Finding{name, Problem, err.Error()}
		}
		if mode := info.Mode().Perm(); mode&others != 0 {
			return Finding{name, Problem, fmt.Sprintf("%s has mode %04o, but contains answers or a secret "+
				"that only its owner should read: chmod 600 %s", file, mode, file)}
		}
	}
	return Finding{name, Healthy, "only its owner can read it"}
}

// Contents summarises the contents of a database.
func Contents(r store.Report) string {
	studies := "1 study"
	if r.Studies != 1 {
		studies = fmt.Sprintf("%d studies", r.Studies)
	}
	return studies + " with " + terminal.Count(int(r.Outcomes), "outcome")
}
