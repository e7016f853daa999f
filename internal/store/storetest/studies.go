package storetest

import (
	"testing"
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
