package storetest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/internal/study"
)

// allShards returns all shards of a store.
func allShards() []int {
	all := make([]int, study.Shards)
	for i := range all {
		all[i] = i
	}
	return all
}

// shards tests that each study has one shard for good, that Active returns the studies of some shards, and that consecutive
// studies have consecutive shards.
func shards(s *stage) {
	store := s.store()
	const studies = 10
	for i := range studies {
		s.must(store.Create(s.Context(), sample(strconv.Itoa(i)), nil))
	}
	all, err := store.Active(s.Context(), allShards())
	s.must(err)
	if len(all) != studies {
		s.Fatalf("%d studies are active", len(all))
	}
	for i, pulse := range all {
		if pulse.ID != strconv.Itoa(i) || pulse.Shard != (all[0].Shard+i)%study.Shards {
			s.Errorf("study %d: %+v", i, pulse)
		}
	}
	some, err := store.Active(s.Context(), []int{all[7].Shard, all[2].Shard, study.Shards - 1})
	s.must(err)
	if diff := cmp.Diff([]study.Pulse{all[2], all[7]}, some); diff != "" {
		s.Error(diff)
	}
	for _, none := range [][]int{nil, {}, {-1, study.Shards}} {
		if got, err := store.Active(s.Context(), none); err != nil || len(got) > 0 {
			s.Errorf("shards %v: %v, %v", none, got, err)
		}
	}
	s.must(store.Delete(s.Context(), "2"))
	_, err = store.Change(s.Context(), sample("7"), 1, nil)
	s.must(err)
	some, err = store.Active(s.Context(), []int{all[7].Shard, all[2].Shard})
	s.must(err)
	if len(some) != 1 || some[0].ID != "7" || some[0].Shard != all[7].Shard || some[0].Version != 2 {
		s.Errorf("%+v", some)
	}
}

// uncounted tests that Uncounted returns the studies that are done, until all outcomes are counted.
func uncounted(s *stage) {
	ctx := s.Context()
	store := s.withStudy()
	is := func(want ...string) {
		s.Helper()
		pulses, err := store.Uncounted(ctx, allShards())
		s.must(err)
		var ids []string
		for _, pulse := range pulses {
			ids = append(ids, pulse.ID)
		}
		if !slices.Equal(ids, want) {
			s.Errorf("%q have uncounted outcomes, want %q", ids, want)
		}
	}
	s.planned(store, "a", 2)
	s.recorded(store, "a", []error{nil}, answer(0))
	is()
	st := sample("a")
	st.State, st.Reason = study.Done, study.Stopped
	_, err := store.Change(ctx, st, 1, nil)
	s.must(err)
	is("a")
	if pulses, err := store.Uncounted(ctx, []int{0, 2}); err != nil || len(pulses) > 0 { // the study has shard 1
		s.Errorf("%+v, %v", pulses, err)
	}
	plan := s.next(store, "a", 0)
	plan.Upto, plan.Known = 1, 1
	s.must(store.Append(ctx, "a", planner, plan))
	is()
}

// replicas tests heartbeats and departures.
func replicas(s *stage) {
	store, other := s.store(), s.store()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	beat := func(store Store, name string, seconds int, want ...study.Replica) {
		s.Helper()
		got, err := store.Beat(s.Context(), study.Replica{Name: name, Until: at(seconds)})
		s.must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			s.Errorf("after the heartbeat of %q: %s", name, diff)
		}
	}
	beat(store, "b", 1, study.Replica{Name: "b", Until: at(1)})
	beat(other, "a", 2, study.Replica{Name: "a", Until: at(2)}, study.Replica{Name: "b", Until: at(1)})
	beat(store, "b", 3, study.Replica{Name: "a", Until: at(2)}, study.Replica{Name: "b", Until: at(3)})
	beat(store, "B", -9, study.Replica{Name: "B", Until: at(-9)}, study.Replica{Name: "a", Until: at(2)},
		study.Replica{Name: "b", Until: at(3)})
	s.must(store.Depart(s.Context(), study.Replica{Name: "a", Until: at(1)})) // it has prolonged its registration
	s.must(store.Depart(s.Context(), study.Replica{Name: "c", Until: at(1)}))
	beat(store, "b", 4, study.Replica{Name: "B", Until: at(-9)}, study.Replica{Name: "a", Until: at(2)},
		study.Replica{Name: "b", Until: at(4)})
	for range 2 {
		s.must(other.Depart(s.Context(), study.Replica{Name: "a", Until: at(2)}))
	}
	s.must(store.Depart(s.Context(), study.Replica{Name: "B", Until: at(-9)}))
	alone, err := store.Beat(s.Context(), study.Replica{Name: "b", Until: at(5)})
	s.must(err)
	if len(alone) != 1 || alone[0].Name != "b" {
		s.Errorf("%+v", alone)
	}
	beat(other, "a", 6, study.Replica{Name: "a", Until: at(6)}, alone[0])
	beat(store, "b", 7, study.Replica{Name: "a", Until: at(6)}, study.Replica{Name: "b", Until: at(7)})
}

// replicasAtOnce tests concurrent heartbeats of two processes.
func replicasAtOnce(s *stage) {
	stores := []Store{s.store(), s.store()}
	var wait sync.WaitGroup
	for g := range 10 {
		wait.Go(func() {
			name := strconv.Itoa(g)
			for i := range 10 {
				until := start.Add(time.Duration(i) * time.Second)
				got, err := stores[g%2].Beat(s.Context(), study.Replica{Name: name, Until: until})
				if err != nil || !slices.ContainsFunc(got, func(r study.Replica) bool { return r.Name == name }) {
					s.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	wait.Wait()
	all, err := stores[0].Beat(s.Context(), study.Replica{Name: "0", Until: start})
	s.must(err)
	if len(all) != 10 {
		s.Errorf("%+v", all)
	}
}

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
