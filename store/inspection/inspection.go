// Package inspection is what can be said of any database in which studies are kept, without changing
// it.
package inspection

import (
	"errors"
	"fmt"
	"time"
)

// ErrForeign is for databases that hold something else.
var ErrForeign = errors.New("it is not a database of bestpick")

// A Report is what there is in a database.
type Report struct {
	Version  int64 // of its tables, 0 where there are none yet
	Newest   int64 // version that this program knows
	Sound    bool  // it was looked through for damage, and there is none
	Studies  int64
	Outcomes int64
	Last     time.Time // when the last question was answered, skipped or lost; zero if none was
	Bytes    int64     // that it takes
	Now      time.Time // by the clock of the database; zero if it has none
}

// Check returns an error unless this program can use the database, perhaps after bringing it to its
// own version.
func (r Report) Check() error {
	if r.Version > r.Newest {
		return fmt.Errorf("version %d is newer than this program, which knows %d", r.Version, r.Newest)
	}
	return nil
}
