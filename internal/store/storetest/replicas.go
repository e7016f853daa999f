package storetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"bestpick/internal/study"
)

// wake tests that processes that listen receive the ids and shards of studies. Notifications are optional.
func wake(s *stage) {
	ctx, cancel := context.WithCancel(s.Context())
	store, other := s.store(), s.store()
	type call struct {
		id    string
		shard int
	}
	calls, ended := make(chan call), make(chan error, 1)
	go func() {
		ended <- other.Listen(ctx, func(id string, shard int) {
			select {
			case calls <- call{id, shard}:
			case <-ctx.Done():
			}
		})
	}()
	defer func() {
		cancel()
		<-ended
	}()
	want := map[call]bool{}
	var ids []string
	for i := range 300 { // more than one payload
		id := fmt.Sprint(strings.Repeat("id", 20), i)
		s.must(store.Create(ctx, sample(id), nil))
		ids = append(ids, id)
		want[call{id, (i + 1) % study.Shards}] = true
	}
	again := time.NewTicker(100 * time.Millisecond) // the other process may not listen yet
	defer again.Stop()
	late := time.After(time.Minute)
	for got := map[call]bool{}; len(got) < len(want); {
		select {
		case <-late:
			s.Fatalf("%d of %d studies were announced within a minute", len(got), len(want))
		case err := <-ended:
			if ended <- err; err != nil {
				s.Error(err)
			}
			return // this store does not notify
		case c := <-calls:
			if got[c] = true; !want[c] {
				s.Fatalf("study %s has shard %d", c.id, c.shard)
			}
		case <-again.C:
			s.must(store.Wake(ctx, append(ids, "no study")))
		}
	}
	s.must(store.Wake(ctx, nil))
	s.must(store.Wake(ctx, []string{"no study"}))
}
