//go:build long

package sqlite

import (
	"path/filepath"
	"testing"

	"bestpick/internal/store/storetest"
)

func TestLongKilled(t *testing.T) {
	storetest.Killed(t, 100, filepath.Join(t.TempDir(), "studies.db"), openChild)
}
