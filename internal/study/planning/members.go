package planning

import (
	"context"
	"time"

	"bestpick/internal/study"
)

const (
	beatEvery = time.Second
	maxMissed = 2  // heartbeats in a row, after which a replica is dead
	maxSilent = 60 // heartbeats in a row, after which a replica is removed
)

// members is the view that a replica has of all replicas. Clocks may be wrong, and the store may be unavailable for all. So a
// replica counts the heartbeats of others that it misses between its own heartbeats.
type members struct {
	name string        // of this replica
	self study.Replica // its registration
	seen map[string]sighting
}

// A sighting is the last sign of another replica.
type sighting struct {
	until  time.Time
	missed int // own heartbeats since
}

// beat sends a heartbeat, and returns the live replicas, with this one, in the order of their names.
func (m *members) beat(ctx context.Context, store study.Replicas, now time.Time) (live []study.Replica, err error) {
	replicas, err := store.Beat(ctx, study.Replica{Name: m.name, Until: now.Add(maxMissed * beatEvery)})
	if err != nil {
		return nil, err
	}
	live, silent := m.see(replicas, now)
	for _, r := range silent {
		if err := store.Depart(ctx, r); err != nil {
			return nil, err
		}
	}
	return live, nil
}

// see notes the registered replicas, and returns the live replicas and the long silent ones. At first sight a
// replica is live until the end of its registration.
func (m *members) see(replicas []study.Replica, now time.Time) (live, silent []study.Replica) {
	before := m.seen
	m.seen = map[string]sighting{}
	for _, r := range replicas {
		last, known := before[r.Name]
		is := sighting{until: r.Until}
		switch {
		case r.Name == m.name:
			m.self = r
		case known && r.Until.Equal(last.until):
			is.missed = last.missed + 1
		case !known && !r.Until.After(now):
			is.missed = maxMissed
		}
		m.seen[r.Name] = is
		if is.missed < maxMissed {
			live = append(live, r)
		}
		if is.missed >= maxSilent {
			silent = append(silent, r)
		}
	}
	return live, silent
}

// depart tells the others that this replica no longer plans. Without it, they notice the silence.
func (m *members) depart(ctx context.Context, store study.Replicas) {
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseFor)
	defer cancel()
	_ = store.Depart(leaving, m.self)
}
