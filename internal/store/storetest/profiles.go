package storetest

import (
	"strconv"

	"bestpick/internal/study"
)

// The names of the profile questions, and an answer with a quota.
const age, rooms, youthful = "age", "rooms", "young"

// profiled returns a study with profile questions. Two respondents may be young.
func profiled(id string) study.Study {
	st := sample(id)
	st.Profile = []study.ProfileQuestion{
		{Name: age, Text: "How old are you?", Choices: []study.ProfileChoice{{Text: youthful, Quota: 2}, {Text: "old"}}},
		{Name: rooms, Text: "How many rooms?", After: true},
	}
	return st
}

// quotaAtOnce: concurrent respondents, in two processes, do not exceed a quota.
func quotaAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	s.must(stores[0].Create(s.Context(), profiled("a"), nil))
	admitted := s.together(16, study.ErrQuota, func(g int) error {
		return stores[g%2].Admit(s.Context(), "a", strconv.Itoa(g), map[string]string{age: youthful})
	})
	if admitted != 2 {
		s.Errorf("%d respondents are admitted", admitted)
	}
}
