package postgres

import (
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Unavailable reports whether an error says that the database cannot be reached or cannot write at the
// moment: it is stopped or starts, the connection was lost, or it has no room, memory or connections left.
func (s *Store) Unavailable(err error) bool {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return isPassing(failure.Code)
	}
	_, unconnected := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return unconnected || network || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || pgconn.SafeToRetry(err)
}

// isPassing reports whether a code of PostgreSQL is one of a state that does not last.
func isPassing(code string) bool {
	const readOnly = "25006" // another one has become the primary
	for _, class := range []string{
		"08",   // connections
		"53",   // resources
		"57P0", // it is stopped, has crashed, or starts
		"58",   // the system it runs on
		readOnly,
	} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}
