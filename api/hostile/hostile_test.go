package hostile_test

import (
	"strconv"
	"sync"
	"testing"

	"bestpick/api/hostile"
)

// TestRequests: whatever comes, nobody is told of a failure, nothing panics, and nothing changes but by a
// request that succeeds.
func TestRequests(t *testing.T) {
	const sequences, requests, bytes = 20, 200, 20_000
	m := newTemplate(t)
	succeeded := map[string]int{}
	var mutex sync.Mutex
	t.Run("sequence", func(t *testing.T) {
		for seed := range uint64(sequences) {
			t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
				t.Parallel()
				counts := m.perform(t, hostile.Rolled(seed, bytes), requests)
				mutex.Lock()
				defer mutex.Unlock()
				for operation, times := range counts {
					succeeded[operation] += times
				}
			})
		}
	})
	for _, operation := range m.description.Operations() {
		if succeeded[operation] == 0 {
			t.Errorf("no request to %s was right, so that nothing can be said about those that were wrong", operation)
		}
	}
}

// FuzzAPI looks for more of them.
func FuzzAPI(f *testing.F) {
	const seeds, requests, bytes = 3, 60, 4000
	m := newTemplate(f)
	f.Add([]byte{})
	for seed := range uint64(seeds) {
		f.Add(hostile.Rolled(1000+seed, bytes))
	}
	f.Fuzz(func(t *testing.T, input []byte) { m.perform(t, input, requests) })
}
