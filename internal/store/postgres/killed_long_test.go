//go:build long

package postgres

import (
	"testing"

	"bestpick/internal/store/storetest"
)

func TestLongKilled(t *testing.T) { storetest.Killed(t, 100, server.Database(t), openChild) }

func TestLongKilledCompaction(t *testing.T) {
	storetest.KilledCompaction(t, 40, server.Database(t), openChild)
}
