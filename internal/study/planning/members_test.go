package planning

import (
	"slices"
	"testing"
	"time"

	"bestpick/internal/study"
)

// TestMembers: a replica is live while its heartbeat changes, whatever its clock says, and dead after it has missed two. It is
// removed after a minute. A registration that has ended does not count at first sight.
func TestMembers(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	m := members{name: "self"}
	wants := func(want []string, replicas ...study.Replica) (silent []study.Replica) {
		t.Helper()
		live, silent := m.see(append(replicas, study.Replica{Name: "self", Until: now}), now)
		var names []string
		for _, r := range live {
			names = append(names, r.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("live: %q, want %q", names, want)
		}
		return silent
	}
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	alone, both := []string{"self"}, []string{"other", "self"}
	day := 24 * 60 * 60
	wants(alone, study.Replica{Name: "other", Until: at(-day)}) // from before
	wants(both, study.Replica{Name: "other", Until: at(-day + 1)})
	wants(both, study.Replica{Name: "other", Until: at(-day + 1)}) // one heartbeat was late
	wants(both, study.Replica{Name: "other", Until: at(day)})      // the clock was set forward
	wants(both, study.Replica{Name: "other", Until: at(day)})
	for missed := maxMissed; missed < maxSilent; missed++ {
		if silent := wants(alone, study.Replica{Name: "other", Until: at(day)}); len(silent) > 0 {
			t.Fatalf("removed after %d heartbeats", missed)
		}
	}
	if silent := wants(alone, study.Replica{Name: "other", Until: at(day)}); len(silent) != 1 || silent[0].Name != "other" {
		t.Errorf("to be removed: %+v", silent)
	}
	wants(alone)
	wants(both, study.Replica{Name: "other", Until: at(1)})
	if m.self.Name != "self" || !m.self.Until.Equal(now) {
		t.Errorf("this replica is %+v", m.self)
	}
}
