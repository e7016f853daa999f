package sqlite

import (
	"path/filepath"
	"testing"

	"bestpick/internal/store/storetest"
)

func openChild(path string) (storetest.Store, error) { return Open(path) }

func TestKilled(t *testing.T) {
	storetest.Killed(t, 20, filepath.Join(t.TempDir(), "studies.db"), openChild)
}

func TestKilledDeal(t *testing.T) {
	storetest.KilledDeal(t, filepath.Join(t.TempDir(), "studies.db"), openChild)
}
