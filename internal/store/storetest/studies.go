package storetest

import (
	"strconv"
	"testing"

	"bestpick/internal/study"
)

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

// twoOwners tests that of two changes of the same version, exactly one succeeds.
func twoOwners(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const rounds = 20
	for version := 1; version <= rounds; version++ {
		won := s.together(len(stores), study.ErrChanged, func(g int) error {
			st := sample("a")
			st.Name = strconv.Itoa(g)
			changed, err := stores[g].Change(s.Context(), st, version, []byte(st.Name))
			if err == nil && changed.Version != version+1 {
				s.Errorf("the version became %d, want %d", changed.Version, version+1)
			}
			return err
		})
		if won != 1 {
			s.Fatalf("%d owners changed version %d", won, version)
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
