package storetest

import (
	"slices"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
)

// length tests that the length of a log counts outcomes of all kinds.
func length(s *stage) {
	store := s.withStudy()
	check := func(want int64) {
		s.Helper()
		if got, err := store.Length(s.Context(), "a"); err != nil || got != want {
			s.Errorf("the length is %d, want %d: %v", got, want, err)
		}
	}
	check(0)
	s.recorded(store, "a", []error{nil, nil}, answer(0), answer(1))
	s.recorded(store, "a", []error{nil, study.ErrTaken}, became(0, study.Undone), answer(1))
	check(3)
	s.must(store.Import(s.Context(), "a", "batch", Batch(imported(0), imported(1))))
	check(5)
}

// undoneAcross tests that Undone lists only outcomes beyond a boundary that take back an answer
// before it.
func undoneAcross(s *stage) {
	store := s.withStudy()
	all := []study.Outcome{
		answer(0), answer(1), became(0, study.Undone), answer(0), answer(2), // 1 to 5
		became(2, study.Undone), became(0, study.Undone), answer(2), became(1, study.Undone), // 6 to 9
	}
	for _, o := range all {
		s.recorded(store, "a", []error{nil}, o)
	}
	for after, want := range [][]int64{nil, {3}, {3, 9}, {9}, {7, 9}, {6, 7, 9}, {7, 9}, {9}, {9}, nil, nil} {
		found, err := store.Undone(s.Context(), "a", int64(after))
		s.must(err)
		var numbers []int64
		for _, o := range found {
			numbers = append(numbers, o.Number)
			if diff := cmp.Diff(s.log(store, "a")[o.Number-1], o); diff != "" {
				s.Error(diff)
			}
		}
		if !slices.Equal(numbers, want) {
			s.Errorf("after %d: %v, want %v", after, numbers, want)
		}
	}
}
