// Package doctor checks the configuration, the database and the machine of a server, and changes nothing.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"bestpick/internal/store"
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
		return Finding{name, Problem, fmt.Sprintf("the clock differs from the database's by %.1f s: synchronise both with NTP", apart.Seconds())}
	case r.Last.After(now.Add(grave)):
		return Finding{name, Problem, fmt.Sprintf("the last answer is from %s, in the future: the clock of this machine is wrong, or of another one was", r.Last.Format(time.RFC3339))}
	case !r.Now.IsZero() && apart > slight:
		return Finding{name, Warning, fmt.Sprintf("the clock differs from the database's by %.1f s: synchronise both with NTP", apart.Seconds())}
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
		return Finding{name, Warning, fmt.Sprintf("%s, and the database takes %s: little room for growth and for a backup", left, megabytes(size))}
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
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(cmp.Or(host, "localhost"), port)+"/healthz", nil)
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
