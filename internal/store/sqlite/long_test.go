//go:build long

package sqlite

import (
	"path/filepath"
	"testing"

	"bestpick/internal/store/storetest"
)

func TestLongImportMemory(t *testing.T) { importMemory(t, 1_000_000) }

func TestLongDamagedPages(t *testing.T) { damagedPages(t, 60) }

func TestLongKilled(t *testing.T) {
	storetest.Killed(t, 100, filepath.Join(t.TempDir(), "studies.db"), openChild)
}
