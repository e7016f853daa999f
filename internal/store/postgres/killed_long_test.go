//go:build long

package postgres

import (
	"testing"

	"bestpick/internal/store/storetest"
)

func TestLongKilled(t *testing.T) { storetest.Killed(t, 100, server.Database(t), openChild) }
