package storetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"

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

// panelAtOnce tests that owners who change a panel concurrently do not overwrite each other.
func panelAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const owners, each = 4, 5
	var changing sync.WaitGroup
	for g := range owners {
		changing.Go(func() {
			for i := range each {
				name := strconv.Itoa(g*each + i)
				for !s.joined(stores[g%2], name) {
				}
			}
		})
	}
	changing.Wait()
	members, err := stores[0].Members(s.Context(), "a", 0, math.MaxInt32)
	s.must(err)
	st, err := stores[1].Study(s.Context(), "a")
	s.must(err)
	if len(members) != owners*each || st.Version != owners*each+1 {
		s.Errorf("there are %d members, and the study has version %d", len(members), st.Version)
	}
	for i, m := range members {
		if m.Number != int64(i)+1 {
			s.Errorf("member %d has number %d", i+1, m.Number)
		}
	}
}

// joined adds a member to a panel, and reports whether the panel was unchanged since it was read.
func (s *stage) joined(store Store, name string) bool {
	st, err := store.Study(s.Context(), "a")
	if err == nil {
		_, err = store.ChangePanel(s.Context(), st, st.Version, putting(member(0, name)))
	}
	if err != nil && !errors.Is(err, study.ErrChanged) {
		s.Error(err)
		return true
	}
	return err == nil
}
