package storetest

import (
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/access"
)

// in tests that a session of a token is valid.
func (s *stage) in(store Store, name, session string) {
	s.Helper()
	got, err := store.SessionToken(s.Context(), access.Hash(name), session)
	s.must(err)
	if diff := cmp.Diff(token(name), got); diff != "" {
		s.Error(diff)
	}
}

// out tests that a session of a token is not valid.
func (s *stage) out(store Store, name, session string) {
	s.Helper()
	_, err := store.SessionToken(s.Context(), access.Hash(name), session)
	s.wants(access.ErrUnknown, err)
}

// sessions tests that an ended session stays ended for all processes until its expiry, and that
// others continue.
func sessions(s *stage) {
	ctx := s.Context()
	store, other := s.store(), s.store()
	s.must(store.AddToken(ctx, token("a")))
	s.must(store.AddToken(ctx, token("b")))
	s.in(store, "a", "one")
	s.out(store, "c", "one")
	s.must(store.EndSession(ctx, "one", start.Add(time.Hour), start))
	s.must(other.EndSession(ctx, "one", start.Add(time.Hour), start))
	for _, at := range []Store{store, other, s.store()} {
		s.out(at, "a", "one")
		s.in(at, "a", "two")
		s.in(at, "b", "two")
		s.holds(at, token("a"), token("b"))
	}
	s.must(other.EndSession(ctx, "two", start.Add(2*time.Hour), start.Add(time.Hour)))
	s.out(store, "a", "one") // just before its expiry
	s.must(other.EndSession(ctx, "three", start.Add(3*time.Hour), start.Add(time.Hour+time.Microsecond)))
	s.in(store, "a", "one") // the record is deleted, since the cookie has expired
	s.out(store, "a", "two")
	s.out(store, "a", "three")
	s.must(store.RemoveToken(ctx, "a"))
	s.out(store, "a", "four")
}

// sessionsNothingBad tests that hashes that not every store can keep are rejected, and never found.
func sessionsNothingBad(s *stage) {
	store := s.store()
	s.must(store.AddToken(s.Context(), token("a")))
	for _, bad := range []string{"", "a\x00", "\xff", strings.Repeat("x", 100_000)} {
		if err := store.EndSession(s.Context(), bad, start, start); err == nil {
			s.Errorf("%.10q is ended", bad)
		}
	}
	_, err := store.SessionToken(s.Context(), "\x00", "one")
	s.wants(access.ErrUnknown, err)
	s.in(store, "a", "one")
}
