package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"bestpick/internal/access"
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

// The names of the profile questions, an answer with a quota, and one without.
const age, rooms, youthful, elderly = "age", "rooms", "young", "old"

// profiled returns a study with profile questions. Two respondents may be young.
func profiled(id string) study.Study {
	st := sample(id)
	st.Profile = []study.ProfileQuestion{
		{Name: age, Text: "How old are you?", Choices: []study.ProfileChoice{{Text: youthful, Quota: 2}, {Text: elderly}}},
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

// numbersTakeNoPlace tests that an answer to a question without choices is in the profile only.
func numbersTakeNoPlace(s *stage) {
	store, st := s.store(), profiled("a")
	st.Profile[0].Choices = nil
	s.must(store.Create(s.Context(), st, nil))
	s.must(store.Admit(s.Context(), "a", "anna", map[string]string{age: "73.515625"}))
	s.must(store.Hold(s.Context(), "a", "anna", start, study.Kept))
	if groups, err := store.Groups(s.Context(), "a", start); err != nil || len(groups) > 0 {
		s.Errorf("%+v, %v", groups, err)
	}
}

// quotaAtOnce tests a quota with 32 clients of two processes. Some people leave after their first question, so their
// reservations end; others then answer. As many young people as the quota have answered, never more, and all old ones.
func quotaAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	const clients, each, quota, idle = 32, 3, 20, time.Minute
	st := profiled("a")
	st.Profile[0].Choices[0].Quota = quota
	s.must(stores[0].Create(s.Context(), st, nil))
	var asked, kept [2]atomic.Int64 // young, old
	visit := func(c, n int, now time.Time, stays bool) error {
		store, name, group := stores[c%2], fmt.Sprint(now.Unix(), " ", c, " ", n), (c+n)%2
		answer := []string{youthful, elderly}[group]
		if err := store.Admit(s.Context(), "a", name, map[string]string{age: answer}); err != nil {
			return err
		}
		err := store.Hold(s.Context(), "a", name, now, now.Add(idle))
		if err == nil {
			asked[group].Add(1)
		}
		if err == nil && stays {
			if err = stores[(c+1)%2].Hold(s.Context(), "a", name, now.Add(time.Second), study.Kept); err == nil {
				kept[group].Add(1)
			}
		}
		if group == 0 && errors.Is(err, study.ErrQuota) {
			return nil
		}
		return err
	}
	round := func(now time.Time, stays func(n int) bool) {
		s.together(clients, nil, func(c int) error {
			for n := range each {
				if err := visit(c, n, now, stays(n)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	round(start, func(int) bool { return false })
	if young := asked[0].Load(); young != quota {
		s.Errorf("%d young people were asked at once, the quota is %d", young, quota)
	}
	round(start.Add(idle), func(n int) bool { return n > 0 })
	round(start.Add(2*idle), func(int) bool { return true })
	groups, err := stores[1].Groups(s.Context(), "a", start.Add(3*idle))
	s.must(err)
	want := []study.Group{
		{Question: age, Answer: elderly, Answered: clients/2*2 + clients/2*each},
		{Question: age, Answer: youthful, Answered: quota},
	}
	if !slices.Equal(groups, want) || kept[0].Load() != quota || int(kept[1].Load()) != want[0].Answered {
		s.Errorf("%+v, want %+v; %d young and %d old people keep places", groups, want, kept[0].Load(), kept[1].Load())
	}
}

// token returns an owner token with all fields set.
func token(name string) access.Token {
	return access.Token{Name: name, Role: access.Owner, Hash: access.Hash(name), Created: start}
}

// viewer returns a viewer token.
func viewer(name string) access.Token {
	t := token(name)
	t.Role = access.Viewer
	return t
}

// firstTokenAtOnce tests that of many concurrent starts one adds the first token, also while a
// token is added in another way.
func firstTokenAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	for round := range 10 {
		var other sync.WaitGroup
		if round%2 > 0 {
			other.Go(func() {
				if err := stores[0].AddToken(s.Context(), viewer("other")); err != nil {
					s.Error(err)
				}
			})
		}
		first := s.together(8, access.ErrTaken, func(g int) error {
			return stores[g%2].AddFirstToken(s.Context(), viewer(strconv.Itoa(g)))
		})
		other.Wait()
		there, err := stores[1].Tokens(s.Context())
		s.must(err)
		if first > 1 || first == 0 && round%2 == 0 || len(there) != first+round%2 {
			s.Errorf("round %d: %d were first, there are %v", round, first, there)
		}
		for _, t := range there {
			s.must(stores[0].RemoveToken(s.Context(), t.Name))
		}
	}
}

// entry returns an entry with all fields set.
func entry(number int64) access.Entry {
	return access.Entry{
		Number: number, At: start.Add(time.Duration(number) * time.Microsecond), By: "“Zoë”",
		Operation: "import-answers", Study: "a",
		Detail: "batch “survey” '%\\ " + strconv.FormatInt(number, 10),
	}
}

// auditAtOnce tests concurrent writers: no entry is lost, and a reader who has seen an entry has
// seen all with lower numbers.
func auditAtOnce(s *stage) {
	const each, people = 10, 4
	stores := []Store{s.store(), s.store()}
	var adding sync.WaitGroup
	for g := range people {
		adding.Go(func() {
			for range each {
				if err := stores[g%2].AddEntry(s.Context(), entry(1)); err != nil {
					s.Error(err)
				}
			}
		})
	}
	for seen := 0; seen < each*people && !s.Failed(); {
		list, err := stores[1].Entries(s.Context(), math.MaxInt64, 1000)
		s.must(err)
		if len(list) > 0 && list[0].Number != int64(len(list)) {
			s.Errorf("of %d entries only %d are there", list[0].Number, len(list))
		}
		seen = len(list)
	}
	adding.Wait()
}

// wake tests that processes that listen receive the ids of studies. Notifications are optional.
func wake(s *stage) {
	ctx, cancel := context.WithCancel(s.Context())
	store, other := s.store(), s.store()
	calls, ended := make(chan string), make(chan error, 1)
	go func() {
		ended <- other.Listen(ctx, func(id string) {
			select {
			case calls <- id:
			case <-ctx.Done():
			}
		})
	}()
	defer func() {
		cancel()
		<-ended
	}()
	want := map[string]bool{}
	var ids []string
	for i := range 300 { // more than one payload
		id := fmt.Sprint(strings.Repeat("id", 20), i)
		s.must(store.Create(ctx, sample(id), nil))
		ids = append(ids, id)
		want[id] = true
	}
	again := time.NewTicker(100 * time.Millisecond) // the other process may not listen yet
	defer again.Stop()
	late := time.After(time.Minute)
	for got := map[string]bool{}; len(got) < len(want); {
		select {
		case <-late:
			s.Fatalf("%d of %d studies were announced within a minute", len(got), len(want))
		case err := <-ended:
			if ended <- err; err != nil {
				s.Error(err)
			}
			return // this store does not notify
		case id := <-calls:
			if got[id] = true; !want[id] {
				s.Fatalf("%s was announced", id)
			}
		case <-again.C:
			s.must(store.Wake(ctx, append(ids, "no study")))
		}
	}
	s.must(store.Wake(ctx, nil))
	s.must(store.Wake(ctx, []string{"no study"}))
}
