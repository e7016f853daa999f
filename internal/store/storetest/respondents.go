package storetest

import (
	"math/rand/v2"
	"strconv"

	"bestpick/internal/study"
)

// by returns an outcome of a respondent.
func by(respondent string, p study.Position, kind study.Kind) study.Outcome {
	o := answer(p)
	o.Kind, o.Respondent = kind, respondent
	return o
}

// did compares the history of a respondent.
func (s *stage) did(store Store, respondent string, questions int, last []int) {
	s.Helper()
	same(s, study.History{Questions: questions, LastShown: last})(store.Respondent(s.Context(), "a", respondent))
}

// respondentsOfAnyName tests names with any content, since they come from outside, including the
// longest ones.
func respondentsOfAnyName(s *stage) {
	store := s.withStudy()
	random := rand.New(rand.NewPCG(1, 2))
	long := make([]rune, 333) // of three bytes each
	for i := range long {
		long[i] = rune(0x4e00 + random.IntN(0x5000)) // so that it cannot be compressed
	}
	names := []string{"zoë", "ZOË", "zoë ", "zoe\u0308", "", " ", "'", "%", "“ \n\t\\", "𝛉", string(long), string(long[1:])}
	var outcomes []study.Outcome
	for i, name := range names {
		for k := range i + 1 { // all of them new to the store in one call
			outcomes = append(outcomes, by(name, study.Position(i*100+k), study.Answered))
		}
	}
	s.recorded(store, "a", make([]error, len(outcomes)), outcomes...)
	for i, name := range names {
		s.did(store, name, i+1, question(study.Position(i*100+i)))
	}
	for _, name := range []string{"Zoë", "zo", "zoëë", "\x00", "zoë\x00", "\xff", "_"} {
		s.did(store, name, 0, nil)
	}
}

// respondentsAtOnce tests many concurrent respondents, each in two processes.
func respondentsAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const respondents, each = 8, 20
	s.together(2*respondents, nil, func(g int) error {
		for i := range each {
			o := by(strconv.Itoa(g%respondents), study.Position(g*each+i), study.Answered)
			if err := s.record(stores[g/respondents], study.NoLimit, o); err != nil {
				return err
			}
		}
		return nil
	})
	last := map[string][]int{}
	for _, o := range s.log(stores[0], "a") {
		last[o.Respondent] = o.Shown
	}
	for name, shown := range last {
		s.did(stores[1], name, 2*each, shown)
	}
	if len(last) != respondents {
		s.Errorf("there are %d respondents", len(last))
	}
}

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
