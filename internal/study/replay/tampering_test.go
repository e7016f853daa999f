//go:build !race

package replay_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"bestpick/internal/study"
	"bestpick/internal/study/replay"
)

// TestTampering alters logs in every field of every kind of line, and their structure. With the public
// key, verification detects every change of an attacker without the private key. Without it,
// verification detects everything but changes to the fields that the documentation names. It makes
// one of 41 changes; TestLongTampering makes all of them.
func TestTampering(t *testing.T) { alterLogs(t, 41) }

// alterLogs alters the logs of five studies, and makes one of oneOf changes.
func alterLogs(t *testing.T, oneOf int) {
	t.Helper()
	t.Parallel()
	var mutex sync.Mutex
	found := map[string]bool{}
	t.Cleanup(func() { // after the parallel tests
		if got, want := slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(unproven())); !slices.Equal(got, want) {
			t.Errorf("not detected without the public key: %q, listed: %q", got, want)
		}
	})
	for _, c := range []struct {
		name, early, late string // respondents who are erased
		settings          study.Settings
		stride            int // step between the lines that are dropped, duplicated and so on
	}{
		{"certified", "", "", terms(), 1},
		{"erased", "anna", "", terms(), 6},
		{"erased at the end", "", "ben", terms(), 6},
		{"majority", "", "", peopled(), 6},
		{"majority, erased", "anna", "", peopled(), 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := certified(t, c.settings, c.early)
			if c.late != "" {
				s.Erase(s.Service("one"), c.late)
			}
			undetected := tampered(t, s.Exported(), replay.PublicKeyOf(s.Service("one").Parts.Secret), c.stride, oneOf)
			mutex.Lock()
			defer mutex.Unlock()
			maps.Copy(found, undetected)
		})
	}
}
