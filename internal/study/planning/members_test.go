package planning

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"bestpick/internal/study"
)

// TestMembers: a replica is live while its heartbeat changes, whatever its clock says, and dead after it has missed two. It is
// removed after a minute. A registration that has ended does not count at first sight.
func TestMembers(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	m := members{name: "self"}
	wants := func(want []string, replicas ...study.Replica) (silent []study.Replica) {
		t.Helper()
		live, silent := m.see(append(replicas, study.Replica{Name: "self", Until: now}), now)
		var names []string
		for _, r := range live {
			names = append(names, r.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("live: %q, want %q", names, want)
		}
		return silent
	}
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	alone, both := []string{"self"}, []string{"other", "self"}
	day := 24 * 60 * 60
	wants(alone, study.Replica{Name: "other", Until: at(-day)}) // from before
	wants(both, study.Replica{Name: "other", Until: at(-day + 1)})
	wants(both, study.Replica{Name: "other", Until: at(-day + 1)}) // one heartbeat was late
	wants(both, study.Replica{Name: "other", Until: at(day)})      // the clock was set forward
	wants(both, study.Replica{Name: "other", Until: at(day)})
	for missed := maxMissed; missed < maxSilent; missed++ {
		if silent := wants(alone, study.Replica{Name: "other", Until: at(day)}); len(silent) > 0 {
			t.Fatalf("removed after %d heartbeats", missed)
		}
	}
	if silent := wants(alone, study.Replica{Name: "other", Until: at(day)}); len(silent) != 1 || silent[0].Name != "other" {
		t.Errorf("to be removed: %+v", silent)
	}
	wants(alone)
	wants(both, study.Replica{Name: "other", Until: at(1)})
	if m.self.Name != "self" || !m.self.Until.Equal(now) {
		t.Errorf("this replica is %+v", m.self)
	}
}

// owners returns the replica of each shard.
func owners(t *testing.T, replicas []study.Replica) []string {
	t.Helper()
	owners := make([]string, study.Shards)
	for _, replica := range replicas {
		for _, shard := range shardsOf(replica.Name, replicas) {
			if owners[shard] != "" {
				t.Fatalf("shard %d belongs to %s and %s", shard, owners[shard], replica.Name)
			}
			owners[shard] = replica.Name
		}
	}
	return owners
}

// TestAssignment: each shard belongs to one replica, and replicas have equal numbers of shards.
// When a replica joins or leaves, it gains or loses its share, and few other shards move.
func TestAssignment(t *testing.T) {
	for n, maxOthers := range map[int]int{1: 0, 2: 20, 3: 20, 10: 40, 100: 60} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			var replicas []study.Replica
			for i := range n + 1 {
				replicas = append(replicas, study.Replica{Name: fmt.Sprint("replica ", i)})
			}
			before, after := owners(t, replicas[:n]), owners(t, replicas)
			loads, moved := map[string]int{}, 0
			for shard, owner := range before {
				if loads[owner]++; after[shard] != owner && after[shard] != replicas[n].Name {
					moved++
				}
			}
			for _, replica := range replicas[:n] {
				if load := loads[replica.Name]; load < study.Shards/n || load > study.Shards/n+1 {
					t.Errorf("%s has %d of %d shards", replica.Name, load, study.Shards)
				}
			}
			if moved > maxOthers {
				t.Errorf("%d shards move between the other replicas, want at most %d", moved, maxOthers)
			}
		})
	}
}
