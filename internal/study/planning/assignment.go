package planning

import (
	"hash/fnv"
	"slices"

	"bestpick/internal/study"
)

// shardsOf returns the shards of one replica. All processes with the same list of replicas assign the same shards. It is
// rendezvous hashing with bounded loads: each shard prefers replicas in a random order, and goes to the first that is able
// to plan it and has room. So two replicas have equal numbers of shards, up to one and to shards that a replica is unable
// to plan. When a replica joins or leaves, few shards move between the others.
func shardsOf(name string, replicas []study.Replica) (shards []int) {
	least, larger := study.Shards/len(replicas), study.Shards%len(replicas) // the least number of shards of a replica, and the number of replicas with one more
	loads, seeds := make([]int, len(replicas)), make([]uint64, len(replicas))
	for i, r := range replicas {
		seeds[i] = seedOf(r.Name)
	}
	for shard := range study.Shards {
		best, highest := 0, preference{}
		for i, r := range replicas {
			p := preference{!slices.Contains(r.Unable, shard), loads[i] < least || loads[i] == least && larger > 0, mixed(seeds[i] + uint64(shard))}
			if p.exceeds(highest) {
				best, highest = i, p
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

// A preference is what a shard compares of two replicas.
type preference struct {
	able, hasRoom bool
	score         uint64
}

func (p preference) exceeds(other preference) bool {
	switch {
	case p.able != other.able:
		return p.able
	case p.hasRoom != other.hasRoom:
		return p.hasRoom
	}
	return p.score > other.score
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
