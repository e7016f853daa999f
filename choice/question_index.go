package choice

import "slices"

// A questionIndex finds the number of a question by the places of its arms. It is a hash table with
// open addressing, since a map with the arms as keys takes as much memory as the rest of a tally.
type questionIndex struct {
	table []int32 // numbers plus one; 0 if empty. Its length is a power of two
	used  int
}

// find returns the number of the question that shows the given places, in increasing order.
func (x *questionIndex) find(t *Tally, places []int32) (q int32, known bool) {
	if x.used == 0 {
		return 0, false
	}
	for at := x.slot(places); ; at = x.after(at) {
		entry := x.table[at]
		if entry == 0 {
			return 0, false
		}
		if slices.Equal(t.Places(int(entry-1)), places) {
			return entry - 1, true
		}
	}
}

// add adds a question of the tally that the index lacks. It keeps the table at most half full.
func (x *questionIndex) add(t *Tally, q int32) {
	if x.used++; 2*x.used > len(x.table) {
		old := x.table
		x.table = make([]int32, max(16, 2*len(old)))
		for _, entry := range old {
			if entry != 0 {
				x.insert(t, entry)
			}
		}
	}
	x.insert(t, q+1)
}

func (x *questionIndex) insert(t *Tally, entry int32) {
	at := x.slot(t.Places(int(entry - 1)))
	for x.table[at] != 0 {
		at = x.after(at)
	}
	x.table[at] = entry
}

// slot returns the first slot to probe.
func (x *questionIndex) slot(places []int32) int {
	hash := uint64(len(places))
	for _, place := range places {
		hash = (hash ^ uint64(place)) * 0x9e3779b97f4a7c15
		hash ^= hash >> 32
	}
	return int(hash & uint64(len(x.table)-1))
}

func (x *questionIndex) after(at int) int { return (at + 1) & (len(x.table) - 1) }

// reset removes all questions and keeps the memory.
func (x *questionIndex) reset() {
	clear(x.table)
	x.used = 0
}
