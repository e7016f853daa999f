package storetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
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
	got, err := store.Members(ctx, id, 0, math.MaxInt32)
	s.must(err)
	if diff := cmp.Diff(want, got, sameWhenEmpty()); diff != "" {
		s.Error(diff)
	}
	var names []string
	for _, m := range want {
		got, err := store.Member(ctx, id, study.HashKey(m.Key))
		s.must(err)
		if diff := cmp.Diff(m, got); diff != "" {
			s.Error(diff)
		}
		names = append(names, m.Name)
	}
	named, err := store.MembersNamed(ctx, id, append(names, "nobody"))
	s.must(err)
	byNumber := cmpopts.SortSlices(func(a, b study.Member) bool { return a.Number < b.Number })
	if diff := cmp.Diff(want, named, sameWhenEmpty(), byNumber); diff != "" {
		s.Error(diff)
	}
}

func panel(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.consists(store, "a")
	first, second, odd := member(1, anna), member(2, ben), member(3, "“Zoë” \n'%\\")
	second.Added = start.Add(time.Microsecond)
	odd.Segment = ""
	closed := sample("a")
	closed.Panel, closed.Name = true, "Closed"
	given := []study.Member{first, second, odd}
	for i := range given {
		given[i].Number = 7 // ignored by the store
	}
	changed, err := store.ChangePanel(ctx, closed, 1, putting(given...))
	s.must(err)
	closed.Version = 2
	read, err := store.Study(ctx, "a")
	s.must(err)
	if diff := cmp.Diff(closed, changed) + cmp.Diff(closed, read); diff != "" {
		s.Error(diff)
	}
	s.consists(store, "a", first, second, odd)

	other := first // with another key and segment
	other.Key, other.Segment, other.Added = "another key", "", start.Add(time.Hour)
	fourth := member(4, cleo)
	s.changePanel(store, "a", study.PanelChange{Put: []study.Member{other}, Remove: []string{ben, "nobody"}})
	s.changePanel(store, "a", putting(fourth))
	s.consists(store, "a", other, odd, fourth)
	for _, gone := range []study.Member{first, second} {
		_, err := store.Member(ctx, "a", study.HashKey(gone.Key))
		s.wants(study.ErrNoMember, err)
	}
	for after, want := range map[int64][]study.Member{0: {other, odd}, 1: {odd, fourth}, 2: {odd, fourth}, 3: {fourth}, 4: nil} {
		got, err := store.Members(ctx, "a", after, 2)
		s.must(err)
		if diff := cmp.Diff(want, got, sameWhenEmpty()); diff != "" {
			s.Errorf("after %d: %s", after, diff)
		}
	}
	s.changePanel(store, "a", study.PanelChange{Remove: []string{other.Name, odd.Name, fourth.Name}})
	s.consists(store, "a")
	second.Number = 1
	s.changePanel(store, "a", putting(second))
	s.consists(store, "a", second)
}

// panelNothingBad tests that an invalid change, or one of an outdated version, changes nothing.
func panelNothingBad(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	first := member(1, anna)
	s.changePanel(store, "a", putting(first))
	changed := sample("a")
	changed.Panel = true
	spoilt := func(spoil func(*study.Member)) study.PanelChange {
		bad := member(0, ben)
		spoil(&bad)
		return study.PanelChange{Put: []study.Member{member(0, cleo), bad}, Remove: []string{anna}}
	}
	for name, change := range map[string]study.PanelChange{
		"no name":             spoilt(func(m *study.Member) { m.Name = "" }),
		"no key":              spoilt(func(m *study.Member) { m.Key = "" }),
		"a zero":              spoilt(func(m *study.Member) { m.Name = "a\x00" }),
		"no text":             spoilt(func(m *study.Member) { m.Segment = "\xff" }),
		"a very long key":     spoilt(func(m *study.Member) { m.Key = strings.Repeat("x", 1001) }),
		"a name twice":        spoilt(func(m *study.Member) { m.Name = cleo }),
		"a key twice":         spoilt(func(m *study.Member) { m.Key = member(0, cleo).Key }),
		"a key of another":    {Put: []study.Member{{Name: ben, Key: first.Key}}},
		"put and removed":     {Put: []study.Member{first}, Remove: []string{anna}},
		"removed, not a text": {Put: []study.Member{member(0, ben)}, Remove: []string{"\xff"}},
	} {
		_, err := store.ChangePanel(ctx, changed, 2, change)
		if err == nil || errors.Is(err, study.ErrChanged) || errors.Is(err, study.ErrNotFound) {
			s.Errorf("%s: got %v", name, err)
		}
	}
	_, err := store.ChangePanel(ctx, changed, 1, putting(member(0, ben)))
	s.wants(study.ErrChanged, err)
	st, err := store.Study(ctx, "a")
	s.must(err)
	if st.Panel || st.Version != 2 {
		s.Errorf("the study became %+v", st)
	}
	s.consists(store, "a", first)
}

// membersUnknown tests keys with any content, since they come from outside.
func membersUnknown(s *stage) {
	store := s.withStudy()
	first := member(1, anna)
	s.changePanel(store, "a", putting(first))
	for _, text := range []string{"", anna, "Anna", "anna ", "anna\x00", "\x00", "\xff", "'", "%", first.Key, strings.ToUpper(study.HashKey(first.Key))} {
		_, err := store.Member(s.Context(), "a", text)
		s.wants(study.ErrNoMember, err)
		named, err := store.MembersNamed(s.Context(), "a", []string{text})
		s.must(err)
		if (len(named) > 0) != (text == anna) {
			s.Errorf("%q is the name of %v", text, named)
		}
	}
	named, err := store.MembersNamed(s.Context(), "a", nil)
	s.must(err)
	if len(named) > 0 {
		s.Errorf("no name is that of %v", named)
	}
}

// panelsApart tests that panels of two studies are independent, even with the same names and keys,
// and are deleted with their studies.
func panelsApart(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.must(store.Create(ctx, sample("b"), nil))
	first, second := member(1, anna), member(2, ben)
	s.changePanel(store, "a", putting(first, second))
	s.consists(store, "b")
	_, err := store.Member(ctx, "b", study.HashKey(first.Key))
	s.wants(study.ErrNoMember, err)
	second.Number = 1
	s.changePanel(store, "b", putting(second))
	s.must(store.Delete(ctx, "a"))
	s.must(store.Create(ctx, sample("a"), nil))
	s.consists(store, "a")
	s.consists(store, "b", second)
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
