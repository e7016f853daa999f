package study

import (
	"context"
	"time"
)

// Shards is the number of shards of a store. A study belongs to one of them for good, and consecutive studies belong
// to consecutive shards.
const Shards = 1024

// A Replica is a process that plans studies of a store.
type Replica struct {
	Name  string
	Until time.Time // end of its registration, on its own clock
}

// Replicas lets the processes on a store share the planning of studies.
type Replicas interface {
	// Beat registers a replica, or replaces its registration, and returns all registered replicas in the
	// order of their names. A store may leave a registration unchanged while there is no other.
	Beat(ctx context.Context, r Replica) ([]Replica, error)

	// Depart removes a replica, unless it has prolonged its registration since. It is idempotent.
	Depart(ctx context.Context, r Replica) error

	// Wake tells the processes that listen that studies have work for their planners. Unknown ids are
	// ignored.
	Wake(ctx context.Context, ids []string) error

	// Listen calls woken for each study that a process wakes, until the context or the connection ends, and
	// returns the error. It returns nil at once if the store does not notify other processes. Calls of Wake may be
	// missed: [Studies.Active] finds the work.
	Listen(ctx context.Context, woken func(id string, shard int)) error
}

// A Pulse tells whether anything has happened in a study: every claim, outcome, plan and change raises one of its counters.
type Pulse struct {
	ID       string
	Shard    int
	Version  int       // of the study
	Outcomes int64     // number of the last outcome
	Claimed  int64     // questions claimed so far
	Plans    int       // number of the last plan
	Waiting  time.Time // earliest claim of a question without a standing outcome; zero if there is none
}

// Same reports whether nothing has happened between two pulses of a study.
func (p Pulse) Same(other Pulse) bool {
	p.Waiting, other.Waiting = time.Time{}, time.Time{}
	return p == other
}
