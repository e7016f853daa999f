package sqlite

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"bestpick/internal/store/storetest"
	"bestpick/internal/study"
)

// TestNoRoom: a file that may not grow refuses what is new, keeps what it has, and goes on when it may.
func TestNoRoom(t *testing.T) {
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
		if err := add("second"); !errors.Is(err, study.ErrUnavailable) {
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
	if err := add("second"); !errors.Is(err, study.ErrChanged) || errors.Is(err, study.ErrUnavailable) {
		t.Errorf("it is there already, and %v", err)
	}
}

// TestUnavailable: no operation works while the file cannot be opened, and each may work later.
func TestUnavailable(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone := filepath.Join(t.TempDir(), "unmounted", "studies.db")
	for _, pool := range []**sql.DB{&s.writer, &s.readers.DB} {
		if err := (*pool).Close(); err != nil {
			t.Fatal(err)
		}
		if *pool, err = connect(gone, ""); err != nil {
			t.Fatal(err)
		}
	}
	s.readers.prepared = nil
	storetest.Unavailable(t, s)
}
