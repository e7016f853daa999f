package storetest

import (
	"math"
	"strconv"
	"sync"
	"time"

	"bestpick/internal/access"
)

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
