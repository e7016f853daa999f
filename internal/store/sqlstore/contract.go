package sqlstore

import (
	"errors"
	"fmt"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/jobs"
	"bestpick/internal/study"
	"bestpick/internal/webhook"
)

// A Contract is what both databases implement: a store of studies, tokens, the audit log, webhooks and
// background jobs. It never loses acknowledged writes. Safe for concurrent use. Package storetest tests it.
type Contract interface {
	study.Store
	access.Tokens
	access.Audit
	webhook.Store
	jobs.Queue
}

// ErrForeign reports a database of another program.
var ErrForeign = errors.New("not a database of bestpick")

// A Report describes a database.
type Report struct {
	Version  int64 // of its tables; 0 if there are none
	Newest   int64 // the latest version that this program knows
	Sound    bool  // the integrity check passed
	Studies  int64
	Outcomes int64
	Last     time.Time // time of the last answered, skipped or lost question; zero if there is none
	Bytes    int64     // its size
	Now      time.Time // by the clock of the database; zero if it has none
}

// Check returns an error if this program cannot use the database, even after an upgrade.
func (r Report) Check() error {
	if r.Version > r.Newest {
		return fmt.Errorf("the database has version %d, but this program supports only up to %d", r.Version, r.Newest)
	}
	return nil
}
