package storetest

import (
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/access"
)

// entry returns an entry with all fields set.
func entry(number int64) access.Entry {
	return access.Entry{
		Number: number, At: start.Add(time.Duration(number) * time.Microsecond), By: "“Zoë”",
		Operation: "import-answers", Study: "a",
		Detail: "batch “survey” '%\\ " + strconv.FormatInt(number, 10),
	}
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
