package storetest

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"

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

// holds compares the stored tokens.
func (s *stage) holds(store Store, want ...access.Token) {
	s.Helper()
	got, err := store.Tokens(s.Context())
	s.must(err)
	if diff := cmp.Diff(want, got, sameWhenEmpty()); diff != "" {
		s.Error(diff)
	}
	for _, t := range want {
		got, err := store.Token(s.Context(), t.Hash)
		s.must(err)
		if diff := cmp.Diff(t, got); diff != "" {
			s.Error(diff)
		}
	}
}

// lastTokenAtOnce tests that of owners who remove each other concurrently, one stays.
func lastTokenAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	for range 10 {
		var removing sync.WaitGroup
		for g := range 4 {
			err := stores[0].AddToken(s.Context(), token(strconv.Itoa(g)))
			if !errors.Is(err, access.ErrTaken) { // by the owner that stayed
				s.must(err)
			}
		}
		for g := range 4 {
			removing.Go(func() {
				if err := stores[g%2].RemoveToken(s.Context(), strconv.Itoa(g)); err != nil {
					s.wants(access.ErrLast, err)
				}
			})
		}
		removing.Wait()
		there, err := stores[1].Tokens(s.Context())
		s.must(err)
		if len(there) != 1 {
			s.Errorf("there are %v", there)
		}
	}
}

// firstTokenAtOnce tests that of many concurrent starts one adds the first token, also while a
// token is added in another way.
func firstTokenAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	for round := range 10 {
		var first atomic.Int32
		var starting sync.WaitGroup
		for g := range 8 {
			starting.Go(func() {
				err := stores[g%2].AddFirstToken(s.Context(), viewer(strconv.Itoa(g)))
				if err == nil {
					first.Add(1)
				} else {
					s.wants(access.ErrTaken, err)
				}
			})
		}
		if round%2 > 0 {
			starting.Go(func() {
				if err := stores[0].AddToken(s.Context(), viewer("other")); err != nil {
					s.Error(err)
				}
			})
		}
		starting.Wait()
		there, err := stores[1].Tokens(s.Context())
		s.must(err)
		if n := int(first.Load()); n > 1 || n == 0 && round%2 == 0 || len(there) != n+round%2 {
			s.Errorf("round %d: %d were first, there are %v", round, n, there)
		}
		for _, t := range there {
			s.must(stores[0].RemoveToken(s.Context(), t.Name))
		}
	}
}

// tokenAtOnce tests that of many concurrent tokens with one name, one is added.
func tokenAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	var added atomic.Int32
	var owners sync.WaitGroup
	for g := range 8 {
		owners.Go(func() {
			t := token("a")
			t.Hash = access.Hash(strconv.Itoa(g))
			if err := stores[g%2].AddToken(s.Context(), t); err == nil {
				added.Add(1)
			} else {
				s.wants(access.ErrTaken, err)
			}
		})
	}
	owners.Wait()
	if added.Load() != 1 {
		s.Errorf("%d were added", added.Load())
	}
}
