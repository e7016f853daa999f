package storetest

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
)

// The names of the profile questions, and an answer with a quota.
const age, rooms, youthful = "age", "rooms", "young"

// profiled returns the study a with profile questions. Two respondents may be young.
func profiled() study.Study {
	st := sample("a")
	st.Profile = []study.ProfileQuestion{
		{Name: age, Text: "How old are you?", Choices: []study.ProfileChoice{{Text: youthful, Quota: 2}, {Text: "old"}}},
		{Name: rooms, Text: "How many rooms?", After: true},
	}
	return st
}

// profiles: answers are stored once, quotas hold, refused respondents stay refused, and removed ones make room.
func profiles(s *stage) {
	ctx, store := s.Context(), s.store()
	s.must(store.Create(ctx, profiled(), nil))
	young, old := map[string]string{age: youthful}, map[string]string{age: "old"}
	s.must(store.Admit(ctx, "a", anna, young))
	s.must(store.Admit(ctx, "a", anna, map[string]string{age: old[age], rooms: "3", "unknown": "x"}))
	s.must(store.Admit(ctx, "a", ben, young))
	s.wants(study.ErrQuota, store.Admit(ctx, "a", "Carl", young))
	s.wants(study.ErrQuota, store.Admit(ctx, "a", "Carl", old))
	s.must(store.Admit(ctx, "a", "Dora “''%\\", old))
	s.hasProfile(store, anna, study.Profile{Respondent: anna, Answers: map[string]string{age: youthful, rooms: "3"}})
	s.hasProfile(store, "Carl", study.Profile{Respondent: "Carl", Answers: young, Refused: true})
	s.hasProfile(store, "unknown", study.Profile{Respondent: "unknown"})
	s.hasProfile(store, "\xff", study.Profile{Respondent: "\xff"})

	all := collected(s, store, "a")
	if len(all) != 4 {
		s.Errorf("%+v", all)
	}
	some, err := store.Profiles(ctx, "a", all[1].Respondent, 1)
	s.must(err)
	if diff := cmp.Diff(all[2:3], some); diff != "" {
		s.Error(diff)
	}
	moved := profiled()
	moved.ID = "b"
	s.must(store.Adopt(ctx, study.Archive{Study: moved, Profiles: all}))
	if diff := cmp.Diff(all, collected(s, store, "b")); diff != "" {
		s.Error(diff)
	}
	s.wants(study.ErrQuota, store.Admit(ctx, "b", "Emil", young))

	s.must(store.RemoveProfile(ctx, "a", anna))
	s.must(store.RemoveProfile(ctx, "a", anna))
	s.must(store.RemoveProfile(ctx, "a", "Carl"))
	s.hasProfile(store, anna, study.Profile{Respondent: anna})
	s.must(store.Admit(ctx, "a", "Carl", young))
	s.wants(study.ErrQuota, store.Admit(ctx, "a", anna, young))
	s.wants(study.ErrNotFound, store.Admit(ctx, "none", anna, young))
	s.wants(study.ErrNotFound, store.RemoveProfile(ctx, "none", anna))
	_, err = store.Profile(ctx, "none", anna)
	s.wants(study.ErrNotFound, err)
	_, err = store.Profiles(ctx, "none", "", 9)
	s.wants(study.ErrNotFound, err)
	s.must(store.Delete(ctx, "b"))
}

// collected returns all profiles of a study.
func collected(s *stage, store Store, id string) (all []study.Profile) {
	s.Helper()
	for p, err := range study.AllProfiles(s.Context(), store, id) {
		s.must(err)
		all = append(all, p)
	}
	return all
}

// hasProfile tests the profile of a respondent in the study a.
func (s *stage) hasProfile(store Store, respondent string, want study.Profile) {
	s.Helper()
	got, err := store.Profile(s.Context(), "a", respondent)
	s.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Error(diff)
	}
}

// quotaAtOnce: concurrent respondents, in two processes, do not exceed a quota.
func quotaAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	s.must(stores[0].Create(s.Context(), profiled(), nil))
	const respondents = 16
	var wait sync.WaitGroup
	var admitted atomic.Int32
	for g := range respondents {
		wait.Go(func() {
			err := stores[g%2].Admit(s.Context(), "a", strconv.Itoa(g), map[string]string{age: youthful})
			switch {
			case err == nil:
				admitted.Add(1)
			case !errors.Is(err, study.ErrQuota):
				s.Error(err)
			}
		})
	}
	wait.Wait()
	if admitted.Load() != 2 {
		s.Errorf("%d respondents are admitted", admitted.Load())
	}
}

// eraseProfile: an erasure removes the profile of the respondent, who no longer counts for quotas.
func eraseProfile(s *stage) {
	ctx, store := s.Context(), s.store()
	s.must(store.Create(ctx, profiled(), nil))
	young := map[string]string{age: youthful}
	s.must(store.Admit(ctx, "a", anna, young))
	s.must(store.Admit(ctx, "a", ben, young))
	s.recorded(store, "a", []error{nil}, by(anna, 0, study.Answered))
	_, err := store.Erase(ctx, "a", anna, s.afresh(store, 1))
	s.must(err)
	s.hasProfile(store, anna, study.Profile{Respondent: anna})
	s.hasProfile(store, ben, study.Profile{Respondent: ben, Answers: young})
	s.must(store.Admit(ctx, "a", "Carl", young))
}
