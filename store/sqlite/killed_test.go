package sqlite

import (
	"path/filepath"
	"testing"

	"bestpick/store/storetest"
	"bestpick/study"
)

func openChild(path string) (study.Store, error) { return Open(path) }

func TestKilled(t *testing.T) {
	storetest.Killed(t, 20, filepath.Join(t.TempDir(), "studies.db"), openChild)
}
