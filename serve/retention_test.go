package serve

import (
	"context"
	"math"
	"sync"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestRetention: a process that starts removes the names of a study that ended more days ago than its owner keeps them, and
// says so in the audit log. Viewers see when.
func TestRetention(t *testing.T) {
	s, owner := mounted(t, Options{})
	run := func(f func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { s.Run(ctx) })
		defer running.Wait()
		defer cancel()
		f()
	}
	var id string
	run(func() {
		id = stuffing(t, owner, wire.Settings{Keep: new(1)})
		byAPI(t.Context(), t, owner, id, 0)
		testsupport.Value(owner.Close(t.Context(), id)).OrFail(t)
	})
	names := func() (all map[string]bool) {
		all = map[string]bool{}
		for _, o := range testsupport.Value(s.store.Log(t.Context(), id, 0, math.MaxInt)).OrFail(t) {
			all[o.Respondent] = true
		}
		delete(all, "")
		return all
	}
	before := names()
	st := testsupport.Value(s.store.Study(t.Context(), id)).OrFail(t)
	st.Ended = st.Ended.AddDate(0, 0, -2)
	testsupport.Value(s.store.Change(t.Context(), st, st.Version, nil)).OrFail(t)
	removals := func() (found []access.Entry) {
		for _, e := range testsupport.Value(s.store.Entries(t.Context(), math.MaxInt64, 100)).OrFail(t) {
			if e.Operation == "remove-names" {
				found = append(found, e)
			}
		}
		return found
	}
	run(func() {
		for range 1000 {
			if len(removals()) > 0 {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Error("no names are removed within 20 seconds")
	})
	if found := removals(); len(found) != 1 || found[0].By != "retention" || found[0].Study != id ||
		found[0].Detail != "1 day after the end" {
		t.Errorf("the audit log has %+v", found)
	}
	after := names()
	if len(before) == 0 || len(after) != len(before) {
		t.Errorf("%d names became %d", len(before), len(after))
	}
	for name := range before {
		if after[name] {
			t.Errorf("%s is left", name)
		}
	}
	if got := testsupport.Value(owner.Study(t.Context(), id)).OrFail(t); got.Unnamed.IsZero() || *got.Settings.Keep != 1 {
		t.Errorf("the study is %+v", got)
	}
}
