package storetest

import (
	"math/rand/v2"
	"strconv"
	"sync"

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

func respondent(s *stage) {
	store := s.withStudy()
	s.did(store, anna, 0, nil)
	s.recorded(store, "a", []error{nil}, by(anna, 0, study.Answered))
	s.did(store, anna, 1, question(0))
	s.recorded(store, "a", []error{nil}, by(anna, 1, study.Skipped))
	s.did(store, anna, 2, question(1))
	s.recorded(store, "a", []error{study.ErrTaken}, by(ben, 1, study.Answered))
	s.did(store, ben, 0, nil)

	s.recorded(store, "a", []error{nil}, by(anna, 0, study.Undone))
	s.did(store, anna, 1, question(0))
	s.recorded(store, "a", []error{nil}, by(ben, 0, study.Answered))
	s.did(store, anna, 1, question(0))
	s.did(store, ben, 1, question(0))
	s.recorded(store, "a", []error{nil, nil, nil}, by(ben, 0, study.Undone), by(anna, 0, study.Answered), by(ben, 7, study.Answered))
	s.did(store, anna, 2, question(0))
	s.did(store, ben, 1, question(7))

	s.recorded(store, "a", []error{nil}, by(ben, 3, study.Lost)) // lost questions belong to no respondent
	s.must(store.Import(s.Context(), "a", "survey", Batch(imported(5))))
	s.did(store, ben, 1, question(7))
	s.did(store, imported(5).Respondent, 0, nil)
	s.recorded(store, "a", []error{nil}, became(4, study.Lost))
	s.did(store, "", 0, nil)
	undone := became(7, study.Undone) // an undo without a respondent
	s.recorded(store, "a", []error{nil}, undone)
	s.did(store, ben, 0, question(7))
	s.did(store, "", 0, nil)
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

// respondentsApart tests that the history of a respondent is per study.
func respondentsApart(s *stage) {
	store := s.withStudy()
	s.must(store.Create(s.Context(), sample("b"), nil))
	s.recorded(store, "b", []error{nil, nil}, by(anna, 0, study.Answered), by(anna, 1, study.Answered))
	s.did(store, anna, 0, nil)
	s.recorded(store, "a", []error{nil}, by(anna, 1, study.Skipped))
	s.did(store, anna, 1, question(1))
	s.must(store.Delete(s.Context(), "a"))
	s.must(store.Create(s.Context(), sample("a"), nil))
	s.did(store, anna, 0, nil)
}

// respondentsAtOnce tests many concurrent respondents, each in two processes.
func respondentsAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const respondents, each = 8, 20
	var wait sync.WaitGroup
	for g := range 2 * respondents {
		wait.Go(func() {
			for i := range each {
				o := by(strconv.Itoa(g%respondents), study.Position(g*each+i), study.Answered)
				if _, err := stores[g/respondents].Record(s.Context(), "a", study.NoLimit, o); err != nil {
					s.Error(err)
				}
			}
		})
	}
	wait.Wait()
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
