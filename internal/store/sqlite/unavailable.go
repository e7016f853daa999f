package sqlite

import (
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"bestpick/internal/study"
)

// classify wraps a temporary error in study.ErrUnavailable: the disk is full or fails, or another process holds the
// lock of the file. It returns other errors unchanged.
func classify(err error) error {
	failure, ok := errors.AsType[*driver.Error](err)
	if !ok || errors.Is(err, study.ErrUnavailable) {
		return err
	}
	switch failure.Code() & 0xff {
	case codes.SQLITE_FULL, codes.SQLITE_IOERR, codes.SQLITE_BUSY, codes.SQLITE_CANTOPEN, codes.SQLITE_READONLY:
		return fmt.Errorf("%w (%w)", study.ErrUnavailable, err)
	}
	return err
}
