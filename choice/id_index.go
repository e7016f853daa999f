package choice

import "hash/maphash"

// An idIndex finds arms by their ids. It is a hash table of arm numbers with open addressing: for a
// million arms it takes 8 MB, a tenth of the memory of a map.
type idIndex struct {
	ids   []string // ids of all arms
	seed  maphash.Seed
	slots []int32 // arm number plus one; 0 if empty
}

// newIDIndex indexes ids. If an id repeats, it returns the two arms with that id; otherwise first
// equals repeated.
func newIDIndex(ids []string) (x idIndex, first, repeated int) {
	size := 4
	for size < 2*len(ids) {
		size *= 2
	}
	x = idIndex{ids, maphash.MakeSeed(), make([]int32, size)}
	for arm, id := range ids {
		at := x.slot(id)
		if x.slots[at] != 0 {
			return x, int(x.slots[at]) - 1, arm
		}
		x.slots[at] = int32(arm + 1)
	}
	return x, 0, 0
}

// Repeats reports whether any id occurs twice.
func Repeats(ids []string) bool {
	_, first, repeated := newIDIndex(ids)
	return first != repeated
}

// slot returns the slot of the arm with an id, or the slot in which to insert it.
func (x idIndex) slot(id string) uint64 {
	last := uint64(len(x.slots) - 1)
	at := maphash.String(x.seed, id) & last
	for x.slots[at] != 0 && x.ids[x.slots[at]-1] != id {
		at = (at + 1) & last
	}
	return at
}

// find returns the arm with an id, and whether there is one.
func (x idIndex) find(id string) (arm int, ok bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	at := x.slots[x.slot(id)]
	return int(at) - 1, at != 0
}
