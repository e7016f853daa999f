package interview

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUndoIsKept: what was taken back is out of the file at once, also for the next session, and another answer comes
// in its place.
func TestUndoIsKept(t *testing.T) {
	answered := func(path string, do func(s *Session, tell func(slot int))) string {
		t.Helper()
		session, err := lampSession(t, path)
		if err != nil {
			t.Fatal(err)
		}
		do(session, func(slot int) {
			if err := session.tell(slot); err != nil {
				t.Fatal(err)
			}
		})
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	undo := func(s *Session) {
		if err := s.undo(); err != nil {
			t.Fatal(err)
		}
	}
	folder := t.TempDir()
	regretted, straight := filepath.Join(folder, "regretted.jsonl"), filepath.Join(folder, "straight.jsonl")
	got := answered(regretted, func(s *Session, tell func(int)) {
		tell(0)
		tell(1)
		undo(s)
	})
	want := answered(straight, func(_ *Session, tell func(int)) { tell(0) })
	if got != want {
		t.Errorf("after an answer was taken back the file is\n%s, want\n%s", got, want)
	}
	got = answered(regretted, func(s *Session, tell func(int)) {
		tell(skipped)
		undo(s)
		tell(2)
		tell(0)
	})
	want = answered(straight, func(_ *Session, tell func(int)) {
		tell(2)
		tell(0)
	})
	if got != want {
		t.Errorf("another answer makes the file\n%s, want\n%s", got, want)
	}
}
