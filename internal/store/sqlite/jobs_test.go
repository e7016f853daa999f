package sqlite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bestpick/internal/store/storetest"
)

func TestJobRescued(t *testing.T) {
	storetest.Rescued(t, filepath.Join(t.TempDir(), "studies.db"), openChild)
}

// TestJobsLeaveNothing: jobs that are done or removed leave nothing in the file and its write-ahead log.
func TestJobsLeaveNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	storetest.LeavesNothing(t, path, openChild, 20*time.Second, func(secret string) bool {
		database, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(append(database, log...), []byte(secret))
	})
}
