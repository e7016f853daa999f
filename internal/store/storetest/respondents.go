package storetest

import (
	"math/rand/v2"
	"strconv"

	"github.com/google/go-cmp/cmp"

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
	got, err := store.Respondent(s.Context(), "a", respondent)
	s.must(err)
	if diff := cmp.Diff(study.History{Questions: questions, Last: last}, got); diff != "" {
		s.Errorf("%q: %s", respondent, diff)
	}
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
