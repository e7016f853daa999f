package strategy

import (
	"cmp"
	"slices"
)

// smallest keeps the items with the smallest values of those it is offered. Of equal values
// the first offered is kept.
type smallest struct {
	most  int
	items []valued
	limit float64 // the largest value kept, once there are enough
}

type valued struct {
	item  int
	value float64
}

// reset makes it empty, to keep so many.
func (s *smallest) reset(most int) {
	s.most, s.items, s.limit = most, s.items[:0], 0
}

// offer takes an item if it is among the smallest so far.
func (s *smallest) offer(item int, value float64) {
	if len(s.items) >= s.most && !(value < s.limit) {
		return
	}
	s.items = append(s.items, valued{item, value})
	if len(s.items) == s.most || len(s.items) == 2*s.most {
		s.trim()
	}
}

// trim keeps no more than the smallest.
func (s *smallest) trim() {
	slices.SortStableFunc(s.items, func(a, b valued) int { return cmp.Compare(a.value, b.value) })
	s.items = s.items[:min(len(s.items), s.most)]
	s.limit = s.items[len(s.items)-1].value
}

// sorted returns the items by their values.
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
