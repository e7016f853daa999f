package planning

import (
	"fmt"
	"strconv"
	"testing"

	"bestpick/internal/study"
)

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
