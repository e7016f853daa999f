package sqlite

import (
	"errors"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// Unavailable reports whether an error is temporary: the disk is full or fails, or another process holds the lock of
// the file.
func (s *Store) Unavailable(err error) bool {
	failure, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return false
	}
	switch failure.Code() & 0xff {
	case codes.SQLITE_FULL, codes.SQLITE_IOERR, codes.SQLITE_BUSY, codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY:
		return true
	}
	return false
}
