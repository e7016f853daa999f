//go:build long

package postgres

import (
	"testing"
	"time"

	"bestpick/internal/store/storetest"
)

func TestLongJobRescued(t *testing.T) { storetest.Rescued(t, server.Database(t), openChild) }

// TestLongJobsLeaveNothing: River deletes jobs that are done after a minute, and looks for them every 30 seconds.
func TestLongJobsLeaveNothing(t *testing.T) { leaveNothing(t, 3*time.Minute) }

// TestLongJobProlonged: River rescues jobs every 30 seconds.
func TestLongJobProlonged(t *testing.T) {
	storetest.Prolonged(t, server.Database(t), openChild, 40*time.Second)
}
