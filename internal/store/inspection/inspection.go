// Package inspection describes the contents of a database of studies, of any kind.
package inspection

import (
	"errors"
	"fmt"
	"time"
)

// ErrForeign is returned for databases of other programs.
var ErrForeign = errors.New("it is not a database of bestpick")

// A Report describes a database.
type Report struct {
	Version  int64 // of its tables; 0 if there are none
	Newest   int64 // the latest version that this program knows
	Sound    bool  // the integrity check passed
	Studies  int64
	Outcomes int64
	Last     time.Time // when the last question was answered, skipped or lost; zero if none was
	Bytes    int64     // its size
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
