package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"bestpick/internal/study"
)

// classify wraps a temporary error in study.ErrUnavailable. It returns other errors unchanged, also that of a call
// whose context was cancelled, which pgx reports as a timeout.
func classify(err error) error {
	if err == nil || errors.Is(err, study.ErrUnavailable) || errors.Is(err, context.Canceled) || !temporary(err) {
		return err
	}
	return fmt.Errorf("%w (%w)", study.ErrUnavailable, err)
}

// temporary reports whether an error may pass: the database is stopped or starting, the connection was lost, or disk
// space, memory or connections are exhausted.
func temporary(err error) bool {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isPassing(failure.Code)
	}
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return unconnected || network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || pgconn.SafeToRetry(err)
}

// isPassing reports whether an error code of PostgreSQL is temporary.
func isPassing(code string) bool {
	const readOnly = "25006" // another server is the primary now
	for _, class := range []string{
		"08",   // connections
		"53",   // resources
		"57P0", // stopped, crashed or starting
		"58",   // operating system
		readOnly,
	} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}
