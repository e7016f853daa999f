package storetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/study"
)

// Names of respondents.
const (
	anna = "anna"
	ben  = "ben"
	cleo = "cleo"
)

// member returns a member with all fields set.
func member(number int64, name string) study.Member {
	return study.Member{Number: number, Name: name, Segment: "north", Key: "key of " + name, Added: start}
}

// putting returns a change that adds members to a panel.
func putting(members ...study.Member) study.PanelChange { return study.PanelChange{Put: members} }

// changePanel changes the panel of a study in its current version.
func (s *stage) changePanel(store Store, id string, change study.PanelChange) study.Study {
	s.Helper()
	st, err := store.Study(s.Context(), id)
	s.must(err)
	changed, err := store.ChangePanel(s.Context(), st, st.Version, change)
	s.must(err)
	return changed
}

// consists compares the panel of a study, by every query for members.
func (s *stage) consists(store Store, id string, want ...study.Member) {
	s.Helper()
	ctx := s.Context()
	same(s, want, sameWhenEmpty())(store.Members(ctx, id, 0, math.MaxInt32))
	var names []string
	for _, m := range want {
		same(s, m)(store.Member(ctx, id, study.HashKey(m.Key)))
		names = append(names, m.Name)
	}
	byNumber := cmpopts.SortSlices(func(a, b study.Member) bool { return a.Number < b.Number })
	same(s, want, sameWhenEmpty(), byNumber)(store.MembersNamed(ctx, id, append(names, "unknown")))
}

// manyMembers tests a large panel with the longest names.
func manyMembers(s *stage) {
	store := s.withStudy()
	random := rand.New(rand.NewPCG(1, 2))
	const many = 2500
	members := make([]study.Member, many)
	for i := range members {
		members[i] = member(int64(i)+1, fmt.Sprint("person ", i))
	}
	long := make([]rune, 333) // of three bytes each
	for i := range long {
		long[i] = rune(0x4e00 + random.IntN(0x5000)) // so that it cannot be compressed
	}
	members[7].Name = string(long)
	s.changePanel(store, "a", putting(members...))
	s.consists(store, "a", members...)
}
