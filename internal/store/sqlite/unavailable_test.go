package sqlite

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"bestpick/internal/study"
)

// TestUnavailable: a file that may not grow refuses what is new, keeps what it has, and goes on when it may.
func TestUnavailable(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	bound := func(pages string) {
		t.Helper()
		if _, err := s.writer.ExecContext(t.Context(), `PRAGMA max_page_count = `+pages); err != nil {
			t.Fatal(err)
		}
	}
	add := func(id string) error {
		return s.Create(t.Context(), study.Study{ID: id, Version: 1, State: study.Draft, Created: time.Now()}, make([]byte, 1<<20))
	}
	if err := add("first"); err != nil {
		t.Fatal(err)
	}
	bound("1") // which means as many as there are
	for range 3 {
		if err := add("second"); !s.Unavailable(err) {
			t.Errorf("there is no room, and %v", err)
		}
	}
	if _, err := s.Study(t.Context(), "first"); err != nil {
		t.Error(err)
	}
	bound("100000")
	if err := add("second"); err != nil {
		t.Error(err)
	}
	if err := add("second"); !errors.Is(err, study.ErrChanged) || s.Unavailable(err) || s.Unavailable(nil) {
		t.Errorf("it is there already, and %v", err)
	}
}
