//go:build long

package postgres

import (
	"testing"

	"bestpick/store/storetest"
)

func TestLongKilled(t *testing.T) { storetest.Killed(t, 300, server.Database(t), openChild) }
