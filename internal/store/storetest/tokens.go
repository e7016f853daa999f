package storetest

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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

func tokens(s *stage) {
	ctx := s.Context()
	store := s.store()
	s.holds(store)
	later := viewer("b")
	later.Created = start.Add(time.Microsecond)
	odd, upper := token("“Zoë” \n'%\\"), token("Z")
	for _, t := range []access.Token{later, odd, token("a"), upper} {
		s.must(store.AddToken(ctx, t))
	}
	s.holds(store, upper, token("a"), later, odd)

	s.wants(access.ErrTaken, store.AddToken(ctx, later))
	sameName, sameHash := token("a"), token("c")
	sameName.Hash, sameHash.Hash = access.Hash("c"), access.Hash("a")
	s.wants(access.ErrTaken, store.AddToken(ctx, sameName))
	s.wants(access.ErrTaken, store.AddToken(ctx, sameHash))
	s.holds(store, upper, token("a"), later, odd)

	s.must(store.RemoveToken(ctx, "a"))
	s.wants(access.ErrUnknown, store.RemoveToken(ctx, "a"))
	_, err := store.Token(ctx, access.Hash("a"))
	s.wants(access.ErrUnknown, err)
	s.must(store.AddToken(ctx, sameName))
	s.holds(store, upper, sameName, later, odd)
}

// invitations tests that an invitation is no token until it is accepted, once and in time, and that it keeps its
// name, role and study.
func invitations(s *stage) {
	ctx := s.Context()
	store := s.store()
	s.must(store.AddToken(ctx, token("a")))
	invited := viewer("b")
	invited.Study, invited.Expires = "“study”", start.Add(time.Hour)
	s.must(store.AddToken(ctx, invited))
	late := token("c")
	late.Expires = start.Add(time.Minute)
	s.must(store.AddToken(ctx, late))
	got, err := store.Tokens(ctx)
	s.must(err)
	if diff := cmp.Diff([]access.Token{token("a"), invited, late}, got); diff != "" {
		s.Error(diff)
	}
	for _, t := range []access.Token{invited, late} {
		_, err := store.Token(ctx, t.Hash)
		s.wants(access.ErrUnknown, err)
		_, err = store.SessionToken(ctx, t.Hash, "session")
		s.wants(access.ErrUnknown, err)
	}
	s.wants(access.ErrLast, store.RemoveToken(ctx, "a")) // the other owner has not accepted
	accept := func(invitation, hash string, now time.Time) error {
		_, err := store.Accept(ctx, access.Hash(invitation), access.Hash(hash), now)
		return err
	}
	s.wants(access.ErrUnknown, accept("c", "new", start.Add(time.Minute)))
	s.wants(access.ErrUnknown, accept("a", "new", start))
	s.wants(access.ErrUnknown, accept("z", "new", start))
	accepted, err := store.Accept(ctx, invited.Hash, access.Hash("new"), start)
	s.must(err)
	invited.Hash, invited.Expires = access.Hash("new"), time.Time{}
	if diff := cmp.Diff(invited, accepted); diff != "" {
		s.Error(diff)
	}
	s.wants(access.ErrUnknown, accept("b", "newer", start))
	s.must(store.RemoveToken(ctx, "c"))
	s.holds(store, token("a"), invited)
}

// tokensUnknown tests hashes and names with any content, since they come from outside.
func tokensUnknown(s *stage) {
	store := s.store()
	s.must(store.AddToken(s.Context(), token("a")))
	for _, text := range []string{"", "A", "a ", "a\x00", "\x00", "\xff", "'", "%"} {
		s.wants(access.ErrUnknown, store.RemoveToken(s.Context(), text))
		_, err := store.Token(s.Context(), text)
		s.wants(access.ErrUnknown, err)
	}
	s.holds(store, token("a"))
}

func tokensNothingBad(s *stage) {
	store := s.store()
	for name, spoil := range map[string]func(*access.Token){
		"no role":         func(t *access.Token) { t.Role = "" },
		"another role":    func(t *access.Token) { t.Role = "king" },
		"no name":         func(t *access.Token) { t.Name = "" },
		"a zero byte":     func(t *access.Token) { t.Name = "a\x00" },
		"not text":        func(t *access.Token) { t.Name = "\xff" },
		"a very long one": func(t *access.Token) { t.Name = strings.Repeat("x", 100_000) },
		"no hash":         func(t *access.Token) { t.Hash = "" },
		"an owner of one": func(t *access.Token) { t.Study = "a" },
	} {
		bad := token("a")
		spoil(&bad)
		if store.AddToken(s.Context(), bad) == nil || store.AddFirstToken(s.Context(), bad) == nil {
			s.Errorf("%s: it was added", name)
		}
	}
	s.holds(store)
}

func firstToken(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	s.must(store.AddFirstToken(ctx, token("a")))
	s.wants(access.ErrTaken, store.AddFirstToken(ctx, token("a")))
	s.wants(access.ErrTaken, store.AddFirstToken(ctx, token("b")))
	s.must(store.AddToken(ctx, token("b")))
	s.must(store.RemoveToken(ctx, "a"))
	s.wants(access.ErrTaken, store.AddFirstToken(ctx, token("c")))
	s.must(store.Delete(ctx, "a")) // tokens do not depend on studies
	s.holds(store, token("b"))
}

// firstTokenAgain tests that AddFirstToken works again after the only token, a viewer's, was
// removed.
func firstTokenAgain(s *stage) {
	ctx := s.Context()
	store := s.store()
	s.must(store.AddFirstToken(ctx, viewer("a")))
	s.wants(access.ErrTaken, store.AddFirstToken(ctx, token("b")))
	s.must(store.RemoveToken(ctx, "a"))
	s.must(store.AddFirstToken(ctx, token("b")))
	s.holds(store, token("b"))
}

// lastToken tests that the last owner token cannot be removed, whatever other tokens there are.
func lastToken(s *stage) {
	ctx := s.Context()
	store := s.store()
	for _, t := range []access.Token{token("a"), token("b"), viewer("c")} {
		s.must(store.AddToken(ctx, t))
	}
	s.must(store.RemoveToken(ctx, "a"))
	s.wants(access.ErrLast, store.RemoveToken(ctx, "b"))
	s.wants(access.ErrUnknown, store.RemoveToken(ctx, "a"))
	s.must(store.RemoveToken(ctx, "c"))
	s.wants(access.ErrLast, store.RemoveToken(ctx, "b"))
	s.holds(store, token("b"))
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
