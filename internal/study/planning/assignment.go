package planning

import (
	"context"
	"hash/fnv"
	"sync"
	"time"

	"bestpick/internal/study"
)

// shardsOf returns the shards of one replica. All processes with the same list of replicas assign the same shards. It is
// rendezvous hashing with bounded loads: each shard prefers replicas in a random order, and goes to the first that has
// room. So two replicas have equal numbers of shards, up to one. When a replica joins or leaves, few shards move between
// the others.
func shardsOf(name string, replicas []study.Replica) (shards []int) {
	least, larger := study.Shards/len(replicas), study.Shards%len(replicas) // larger replicas have one more than the least number
	loads, seeds := make([]int, len(replicas)), make([]uint64, len(replicas))
	for i, r := range replicas {
		seeds[i] = seedOf(r.Name)
	}
	for shard := range study.Shards {
		best, highest := 0, uint64(0)
		for i := range replicas {
			hasRoom := loads[i] < least || loads[i] == least && larger > 0
			if score := mixed(seeds[i] + uint64(shard)); hasRoom && score >= highest {
				best, highest = i, score
			}
		}
		if loads[best] == least {
			larger--
		}
		if loads[best]++; replicas[best].Name == name {
			shards = append(shards, shard)
		}
	}
	return shards
}

// seedOf returns a random number for a replica.
func seedOf(name string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // never fails
	return mixed(hash.Sum64())
}

// mixed returns a random number for a number (the finalizer of SplitMix64).
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

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

// An attendance is what the supervisor knows about a study that it plans. Safe for concurrent use.
type attendance struct {
	shard   int
	stop    context.CancelFunc // hands the study over to another process
	mutex   sync.Mutex
	pulse   *study.Pulse // the last one felt since the last step began, nil if there is none
	resting *Planner     // nil while the planner is at work
	since   time.Time    // when its rest began
	over    chan struct{}
}

// begin notes that a step begins.
func (a *attendance) begin() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pulse = nil
}

// feel notes a pulse, which is empty if the study is no longer active, and ends the planner's rest if there is something to
// do. It reports whether the study needs its planner: not after a long rest.
func (a *attendance) feel(pulse study.Pulse, now time.Time) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.pulse = &pulse
	if a.resting != nil && a.resting.Wakes(pulse) {
		close(a.over)
		a.resting = nil
	}
	return a.resting == nil || now.Sub(a.since) < maxRest
}

// rest waits after a step that left nothing to do until there is something to do, an event rings, or the context ends.
func (a *attendance) rest(ctx context.Context, planner *Planner, rung <-chan struct{}) {
	a.mutex.Lock()
	if a.pulse != nil && planner.Wakes(*a.pulse) {
		a.mutex.Unlock()
		return
	}
	over := make(chan struct{})
	a.resting, a.over, a.since = planner, over, planner.env.Clock()
	a.mutex.Unlock()
	select {
	case <-ctx.Done():
	case <-rung:
	case <-over:
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.resting = nil
}
