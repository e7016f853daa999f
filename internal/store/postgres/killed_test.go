package postgres

import (
	"context"
	"testing"

	"bestpick/internal/store/storetest"
)

func openChild(url string) (storetest.Store, error) { return Open(context.Background(), url) }

func TestKilled(t *testing.T) { storetest.Killed(t, 20, server.Database(t), openChild) }

func TestKilledDeal(t *testing.T) { storetest.KilledDeal(t, server.Database(t), openChild) }
