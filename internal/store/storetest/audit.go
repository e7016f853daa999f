package storetest

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/access"
)

// entry returns an entry with all fields set.
func entry(number int64) access.Entry {
	return access.Entry{
		Number: number, At: start.Add(time.Duration(number) * time.Microsecond), By: "“Zoë”", Operation: "import-answers", Study: "a",
		Detail: "batch “survey” '%\\ " + strconv.FormatInt(number, 10),
	}
}

// entries returns the entries with numbers from first down to last.
func entries(first, last int64) (list []access.Entry) {
	for number := first; number >= last; number-- {
		list = append(list, entry(number))
	}
	return list
}

// entered compares the entries before a number.
func (s *stage) entered(store Store, before int64, limit int, want ...access.Entry) {
	s.Helper()
	got, err := store.Entries(s.Context(), before, limit)
	s.must(err)
	if diff := cmp.Diff(want, got, sameWhenEmpty()); diff != "" {
		s.Errorf("before %d: %s", before, diff)
	}
}

// audit tests that entries come in pages, newest first.
func audit(s *stage) {
	ctx := s.Context()
	store := s.store()
	s.entered(store, math.MaxInt64, 9)
	for number := range int64(5) {
		e := entry(number + 1)
		e.Number = 17 // ignored
		s.must(store.AddEntry(ctx, e))
	}
	s.entered(store, math.MaxInt64, 9, entries(5, 1)...)
	s.entered(store, math.MaxInt64, 2, entries(5, 4)...)
	s.entered(store, 4, 2, entries(3, 2)...)
	s.entered(store, 2, 2, entries(1, 1)...)
	s.entered(store, 1, 2)
	s.entered(store, -1, 2)
	s.entered(store, math.MaxInt64, 0)
	s.must(store.AddEntry(ctx, access.Entry{At: start, Operation: "create-token"})) // at the command line
	s.entered(s.store(), math.MaxInt64, 2, access.Entry{Number: 6, At: start, Operation: "create-token"}, entry(5))
}

// auditOutlives tests that entries outlive the study and the token.
func auditOutlives(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	for _, t := range []access.Token{token("a"), token(entry(1).By)} {
		s.must(store.AddToken(ctx, t))
	}
	s.must(store.AddEntry(ctx, entry(1)))
	s.must(store.Delete(ctx, "a"))
	s.must(store.RemoveToken(ctx, entry(1).By))
	s.entered(store, math.MaxInt64, 9, entry(1))
}

func auditNothingBad(s *stage) {
	store := s.store()
	for name, spoil := range map[string]func(*access.Entry){
		"no operation":    func(e *access.Entry) { e.Operation = "" },
		"no time":         func(e *access.Entry) { e.At = time.Time{} },
		"zero in a text":  func(e *access.Entry) { e.Detail = "a\x00" },
		"not text":        func(e *access.Entry) { e.By = "\xff" },
		"a very long one": func(e *access.Entry) { e.Study = strings.Repeat("x", 100_000) },
	} {
		bad := entry(1)
		spoil(&bad)
		if store.AddEntry(s.Context(), bad) == nil {
			s.Errorf("%s: it was added", name)
		}
	}
	s.entered(store, math.MaxInt64, 9)
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
