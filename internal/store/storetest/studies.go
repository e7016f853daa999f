package storetest

import (
	"bytes"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
	"bestpick/strategy/racing"
)

// prior tests that the prior of a study is stored to the bit, by Create and by Change.
func prior(s *stage) {
	store, want := s.store(), sample("a")
	want.Settings.Strategy.Prior = &racing.Prior{Score: []float64{1.0 / 3, -0.1}, Information: []float64{2.0 / 3, 1e-300,
		1e21}, Picks: 12}
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
