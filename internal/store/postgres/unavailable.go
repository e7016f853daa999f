package postgres

import (
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unavailable reports whether an error is temporary: the database is stopped or starting, the connection was lost, or
// disk space, memory or connections are exhausted.
func (s *Store) Unavailable(err error) bool {
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
