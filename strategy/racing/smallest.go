package racing

import (
	"cmp"
	"slices"
)

// smallest keeps the offered items with the smallest values. Among equal values it keeps the first.
type smallest struct {
	size  int
	items []valued
	limit float64 // the largest value kept, once there are size items
}

type valued struct {
	item  int
	value float64
}

// offer adds an item if it is among the smallest so far.
func (s *smallest) offer(item int, value float64) {
	if len(s.items) >= s.size && !(value < s.limit) {
		return
	}
	s.items = append(s.items, valued{item, value})
	if len(s.items) == s.size || len(s.items) == 2*s.size {
		s.trim()
	}
}

// trim drops all but the smallest.
func (s *smallest) trim() {
	slices.SortStableFunc(s.items, func(a, b valued) int { return cmp.Compare(a.value, b.value) })
	s.items = s.items[:min(len(s.items), s.size)]
	s.limit = s.items[len(s.items)-1].value
}

// sorted returns the items in the order of their values.
func (s *smallest) sorted() []int {
	if len(s.items) == 0 {
		return nil
	}
	s.trim()
	items := make([]int, len(s.items))
	for i, v := range s.items {
		items[i] = v.item
	}
	return items
}
