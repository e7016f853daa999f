package planning

import (
	"hash/fnv"

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
