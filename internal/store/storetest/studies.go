package storetest

import (
	"bytes"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/strategy/racing"
)

func create(s *stage) {
	store := s.withStudy()
	got, err := store.Study(s.Context(), "a")
	s.must(err)
	if diff := cmp.Diff(sample("a"), got); diff != "" {
		s.Error(diff)
	}
}

func createTwice(s *stage) {
	store := s.withStudy()
	other := sample("a")
	other.Name = "other"
	s.wants(study.ErrChanged, store.Create(s.Context(), other, []byte("other")))
	got, err := store.Study(s.Context(), "a")
	s.must(err)
	if diff := cmp.Diff(sample("a"), got); diff != "" {
		s.Error(diff)
	}
	arms, err := store.Catalogue(s.Context(), "a")
	s.must(err)
	if string(arms) != "arms" {
		s.Errorf("the catalogue became %q", arms)
	}
}

// prior tests that the prior of a study is stored to the bit, by Create and by Change.
func prior(s *stage) {
	store, want := s.store(), sample("a")
	want.Settings.Strategy.Prior = &racing.Prior{Score: []float64{1.0 / 3, -0.1}, Information: []float64{2.0 / 3, 1e-300, 1e21}, Picks: 12}
	s.must(store.Create(s.Context(), want, nil))
	for range 2 {
		got, err := store.Study(s.Context(), "a")
		s.must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			s.Error(diff)
		}
		want.Settings.Strategy.Prior = &racing.Prior{Score: []float64{0.7}, Information: []float64{0.1}, Picks: 3}
		want, err = store.Change(s.Context(), want, want.Version, nil)
		s.must(err)
	}
}

// list tests pages of studies that have the same time of creation, and unsorted ids.
func list(s *stage) {
	store := s.store()
	if got := s.ids(store, "", 10); len(got) > 0 {
		s.Errorf("there are %v", got)
	}
	for i := range 7 {
		s.must(store.Create(s.Context(), sample(strconv.Itoa(i*5%7)), nil))
	}
	for _, test := range []struct {
		before string
		limit  int
		want   []string
	}{
		{"", 100, []string{"2", "4", "6", "1", "3", "5", "0"}},
		{"", 3, []string{"2", "4", "6"}},
		{"6", 3, []string{"1", "3", "5"}},
		{"5", 3, []string{"0"}},
		{"0", 3, nil},
		{"", 0, nil},
		{"", -1, nil},
	} {
		if got := s.ids(store, test.before, test.limit); !slices.Equal(got, test.want) {
			s.Errorf("%d before %q: got %q, want %q", test.limit, test.before, got, test.want)
		}
	}
	s.must(store.Delete(s.Context(), "2"))
	s.must(store.Create(s.Context(), sample("2b"), nil))
	if got, want := s.ids(store, "", 2), []string{"2b", "4"}; !slices.Equal(got, want) {
		s.Errorf("after one was deleted: got %q, want %q", got, want)
	}
	got, err := store.List(s.Context(), "", 1)
	s.must(err)
	if diff := cmp.Diff([]study.Study{sample("2b")}, got); diff != "" {
		s.Error(diff)
	}
}

func (s *stage) ids(store Store, before string, limit int) []string {
	s.Helper()
	studies, err := store.List(s.Context(), before, limit)
	s.must(err)
	var ids []string
	for _, st := range studies {
		ids = append(ids, st.ID)
	}
	return ids
}

// underWay compares the active studies, in any order.
func (s *stage) underWay(store Store, want ...string) {
	s.Helper()
	pulses, err := store.Active(s.Context(), allShards())
	s.must(err)
	var ids []string
	for _, pulse := range pulses {
		ids = append(ids, pulse.ID)
	}
	slices.Sort(ids)
	if !slices.Equal(ids, want) {
		s.Errorf("%q are active, want %q", ids, want)
	}
}

func active(s *stage) {
	ctx := s.Context()
	store := s.store()
	s.underWay(store)
	states := []study.State{study.Draft, study.Open, study.Paused, study.Done}
	for _, state := range states {
		st := sample(string(state))
		st.State = state
		s.must(store.Create(ctx, st, nil))
	}
	s.underWay(store, "open", "paused")
	for i, state := range states {
		st := sample("draft")
		st.State = state
		_, err := store.Change(ctx, st, i+1, nil)
		s.must(err)
		if state == study.Open || state == study.Paused {
			s.underWay(store, "draft", "open", "paused")
		} else {
			s.underWay(store, "open", "paused")
		}
	}
	st := sample("draft")
	_, err := store.Change(ctx, st, 1, nil) // too late: the version has changed
	s.wants(study.ErrChanged, err)
	s.underWay(store, "open", "paused")

	s.must(store.Lead(ctx, "paused", planner, start, start.Add(time.Hour)))
	plan := s.next(store, "paused", 0)
	plan.Done, plan.Version = study.Spent, sample("paused").Version
	s.must(store.Append(ctx, "paused", planner, plan))
	s.underWay(store, "open")
	s.must(store.Delete(ctx, "open"))
	s.underWay(store)
}

func change(s *stage) {
	store := s.withStudy()
	s.must(store.Create(s.Context(), sample("b"), nil))
	want := sample("a")
	want.Name, want.State, want.Version = "new", study.Paused, 99
	got, err := store.Change(s.Context(), want, 1, nil)
	s.must(err)
	want.Version = 2
	if diff := cmp.Diff(want, got); diff != "" {
		s.Error(diff)
	}
	for _, version := range []int{1, 3, 0} {
		stale := want
		stale.Name = "stale"
		got, err := store.Change(s.Context(), stale, version, []byte("stale"))
		s.wants(study.ErrChanged, err)
		if diff := cmp.Diff(study.Study{}, got); diff != "" {
			s.Error(diff)
		}
	}
	got, err = store.Study(s.Context(), "a")
	s.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Error(diff)
	}
	got, err = store.Study(s.Context(), "b")
	s.must(err)
	if diff := cmp.Diff(sample("b"), got); diff != "" {
		s.Errorf("another study changed: %s", diff)
	}
	if ids := s.ids(store, "", 2); !slices.Equal(ids, []string{"b", "a"}) {
		s.Errorf("a change moved a study in the list: %q", ids)
	}
}

// twoOwners tests that of two changes of the same version, exactly one succeeds.
func twoOwners(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const rounds = 20
	for version := 1; version <= rounds; version++ {
		var won atomic.Int32
		var owners sync.WaitGroup
		for i, store := range stores {
			owners.Go(func() {
				st := sample("a")
				st.Name = strconv.Itoa(i)
				changed, err := store.Change(s.Context(), st, version, []byte(st.Name))
				switch {
				case err != nil:
					s.wants(study.ErrChanged, err)
				case changed.Version != version+1:
					s.Errorf("the version became %d, want %d", changed.Version, version+1)
				default:
					won.Add(1)
				}
			})
		}
		owners.Wait()
		if won.Load() != 1 {
			s.Fatalf("%d owners changed version %d", won.Load(), version)
		}
		st, err := stores[0].Study(s.Context(), "a")
		s.must(err)
		arms, err := stores[1].Catalogue(s.Context(), "a")
		s.must(err)
		if string(arms) != st.Name {
			s.Fatalf("the study is by owner %s, the catalogue by %s", st.Name, arms)
		}
	}
}

// remove tests that no data of a deleted study is left, even for a later study with the same id.
func remove(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.must(store.Create(ctx, sample("b"), []byte("others")))
	for _, id := range []string{"a", "b"} {
		s.fill(store, id)
	}
	s.must(store.Delete(ctx, "a"))
	s.wants(study.ErrNotFound, store.Delete(ctx, "a"))
	if ids := s.ids(store, "", 9); !slices.Equal(ids, []string{"b"}) {
		s.Errorf("there are %q", ids)
	}
	s.must(store.Create(ctx, sample("a"), nil))
	arms, err := store.Catalogue(ctx, "a")
	s.must(err)
	if len(arms) > 0 || len(s.log(store, "a")) > 0 {
		s.Errorf("a new study has the catalogue %q and outcomes %v", arms, s.log(store, "a"))
	}
	_, err = store.At(ctx, "a", 0)
	s.wants(study.ErrNotFound, err)
	_, err = store.Last(ctx, "a")
	s.wants(study.ErrNotFound, err)
	_, _, err = store.Snapshot(ctx, "a")
	s.wants(study.ErrNotFound, err)
	positions, unclaimed, err := store.Overdue(ctx, "a", start.AddDate(1, 0, 0), 9)
	s.must(err)
	if len(positions) > 0 || unclaimed > 0 {
		s.Errorf("a new study has questions %v overdue and %d unclaimed", positions, unclaimed)
	}
	s.must(store.Lead(ctx, "a", "another planner", start, start.AddDate(1, 0, 0)))
	s.did(store, answer(0).Respondent, 0, nil)
	s.must(store.Import(ctx, "a", "survey", batchOf(1)))
	s.numbered(s.log(store, "a"))

	s.recorded(store, "b", []error{study.ErrTaken, nil}, answer(0), answer(1))
	s.wants(study.ErrTaken, store.Import(ctx, "b", "survey", batchOf(1)))
	if n := len(s.log(store, "b")); n != 4 {
		s.Errorf("the other study has %d outcomes, want 4", n)
	}
	last, err := store.Last(ctx, "b")
	s.must(err)
	if last.Number != 1 || len(last.Questions) != 3 {
		s.Errorf("the other study's plan became %+v", last)
	}
}

// fill writes all kinds of data of a study.
func (s *stage) fill(store Store, id string) {
	s.Helper()
	ctx := s.Context()
	s.changePanel(store, id, putting(member(0, anna)))
	s.planned(store, id, 3)
	_, err := store.Claim(ctx, id, 2, start)
	s.must(err)
	s.recorded(store, id, []error{nil}, answer(0))
	s.must(store.SaveSnapshot(ctx, id, 1, []byte("state")))
	s.must(store.Import(ctx, id, "survey", batchOf(2)))
	s.must(store.SetWebhook(ctx, hook(id)))
}

// Fill creates the study a and writes every kind of data to it.
func Fill(t *testing.T, store Store) {
	t.Helper()
	s := &stage{T: t}
	s.must(store.Create(s.Context(), sample("a"), []byte("arms")))
	s.fill(store, "a")
}

func catalogue(s *stage) {
	store := s.store()
	all := make([]byte, 3<<20)
	for i := range all {
		all[i] = byte(i * i >> 8)
	}
	s.must(store.Create(s.Context(), sample("a"), all))
	got, err := store.Catalogue(s.Context(), "a")
	s.must(err)
	if !bytes.Equal(got, all) {
		s.Error("the catalogue has other bytes")
	}
	_, err = store.Change(s.Context(), sample("a"), 1, nil)
	s.must(err)
	got, err = store.Catalogue(s.Context(), "a")
	s.must(err)
	if !bytes.Equal(got, all) {
		s.Error("a change without a catalogue replaced it")
	}
	_, err = store.Change(s.Context(), sample("a"), 2, []byte{0})
	s.must(err)
	got, err = store.Catalogue(s.Context(), "a")
	s.must(err)
	if !bytes.Equal(got, []byte{0}) {
		s.Error("a change with a catalogue did not replace it")
	}
	_, err = store.Change(s.Context(), sample("a"), 3, []byte{})
	s.must(err)
	got, err = store.Catalogue(s.Context(), "a")
	s.must(err)
	if len(got) > 0 {
		s.Errorf("a change with an empty catalogue left %d bytes", len(got))
	}
}
