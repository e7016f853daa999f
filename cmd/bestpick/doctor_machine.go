package main

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"bestpick/store/inspection"
)

// checkClock compares the clock with that of the database, where it has one, and with what is in there.
// Who plans a study does so for two seconds at a time, and an answer counts when its time has come.
func checkClock(now time.Time, r inspection.Report) finding {
	const name = "clock"
	const made, last = 2026, 2100 // no earlier than this program, and not by far
	const slight, grave = time.Second, 2 * time.Second
	apart := now.Sub(r.Now).Abs()
	switch {
	case now.Year() < made || now.Year() > last:
		return finding{name, problem, fmt.Sprintf("it says %s: set it", now.Format(time.RFC3339))}
	case !r.Now.IsZero() && apart > grave:
		return finding{name, problem, fmt.Sprintf("it differs from that of the database by %.1f s: let both follow a time server (NTP)", apart.Seconds())}
	case r.Last.After(now.Add(grave)):
		return finding{name, problem, fmt.Sprintf("the last answer is of %s, which is in the future: this clock is wrong, or that of another process was", r.Last.Format(time.RFC3339))}
	case !r.Now.IsZero() && apart > slight:
		return finding{name, warning, fmt.Sprintf("it differs from that of the database by %.1f s: let both follow a time server (NTP)", apart.Seconds())}
	case !r.Now.IsZero():
		return finding{name, healthy, now.UTC().Format(time.RFC3339) + ", as the database says"}
	}
	return finding{name, healthy, now.UTC().Format(time.RFC3339)}
}

// checkSpace says whether a folder has room for more answers, and for a backup of what is there.
func checkSpace(folder string, size int64) finding {
	free, err := freeSpace(folder)
	if err != nil {
		return finding{"space", warning, fmt.Sprintf("it is not known how much is left: %v", err)}
	}
	return judgeSpace(free, size)
}

func judgeSpace(free, size int64) finding {
	const name, least = "space", 100 << 20
	left := megabytes(free) + " are left"
	switch {
	case free < least:
		return finding{name, problem, left + ", and without any no answer can be taken: make room"}
	case free < 2*size:
		return finding{name, warning, fmt.Sprintf("%s, and the database takes %s: there is little room for it to grow and for a backup", left, megabytes(size))}
	}
	return finding{name, healthy, left}
}

func megabytes(bytes int64) string { return fmt.Sprintf("%d MB", bytes>>20) }

// checkAddress says whether a server could listen there.
func checkAddress(listen string) finding {
	const name = "address"
	listener, err := net.Listen("tcp", listen) //nolint:noctx // it is opened at once or not at all
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return finding{name, warning, fmt.Sprintf("somebody listens to %s: bestpick itself, or choose another with --listen", listen)}
	case err != nil:
		return finding{name, problem, fmt.Sprintf("%v: choose another with --listen", err)}
	}
	if err := listener.Close(); err != nil {
		return finding{name, problem, err.Error()}
	}
	if address, ok := listener.Addr().(*net.TCPAddr); ok && address.IP.IsLoopback() {
		return finding{name, healthy, listen + " is free, and can be reached from this machine only"}
	}
	return finding{name, healthy, listen + " is free, and can be reached from other machines: what goes there is encrypted only if a proxy before it does that"}
}
