package storetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"

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
	s.must(s.record(store, study.NoLimit, outcomes...))
	for i, name := range names {
		s.did(store, name, i+1, question(study.Position(i*100+i)))
	}
	for _, name := range []string{"Zoë", "zo", "zoëë", "\x00", "zoë\x00", "\xff", "_"} {
		s.did(store, name, 0, nil)
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
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	_, err := store.ChangePanel(s.Context(), sample("a"), 1, study.PanelChange{Put: members})
	s.must(err)
	same(s, members)(store.Members(s.Context(), "a", 0, 2*many))
	byNumber := cmpopts.SortSlices(func(a, b study.Member) bool { return a.Number < b.Number })
	same(s, members, byNumber)(store.MembersNamed(s.Context(), "a", append(names, "unknown")))
	same(s, members[7])(store.Member(s.Context(), "a", study.HashKey(members[7].Key)))
}

// limitAtOnce tests the limit while a few respondents answer and undo at once in two processes: the
// log never has more standing questions per respondent, and has exactly the accepted answers.
func limitAtOnce(s *stage) {
	stores := []Store{s.withStudy(), s.store()}
	const respondents, goroutines, tries, limit = 4, 16, 25, 3
	var standing [respondents]atomic.Int64
	s.together(goroutines, nil, func(g int) error {
		random := rand.New(rand.NewPCG(uint64(g), 1))
		for i := range tries {
			who := random.IntN(respondents)
			o := by(strconv.Itoa(who), study.Position(g*tries+i), study.Answered)
			err := s.record(stores[g%2], limit, o)
			if err == nil {
				standing[who].Add(1)
				if o.Kind = study.Undone; random.IntN(2) == 0 {
					err = s.record(stores[(g+1)%2], limit, o)
					standing[who].Add(-1)
				}
			}
			if err != nil && (o.Kind == study.Undone || !errors.Is(err, study.ErrEnough)) {
				return err
			}
		}
		return nil
	})
	done := map[string]int{}
	for _, o := range s.log(stores[0], "a") {
		if o.Kind == study.Undone {
			done[o.Respondent]--
		} else if done[o.Respondent]++; done[o.Respondent] > limit {
			s.Fatalf("after outcome %d, %d questions of its respondent stand", o.Number, done[o.Respondent])
		}
	}
	for who := range respondents {
		if got, want := done[strconv.Itoa(who)], int(standing[who].Load()); got != want || want == 0 {
			s.Errorf("%d questions of respondent %d stand, %d were accepted", got, who, want)
		}
	}
}
