package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bestpick/internal/store/storetest"
	"bestpick/internal/study"
)

// TestNoByteIsLeft: the name of an erased respondent is neither in the file nor in its log, for any
// number of earlier and later writes.
func TestNoByteIsLeft(t *testing.T) {
	const name = "Wilhelmina Featherstonehaugh"
	path := filepath.Join(t.TempDir(), "studies.db")
	store, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	if err := store.Create(t.Context(), study.Study{ID: "a", State: study.Open, Version: 1}, nil); err != nil {
		t.Fatal(err)
	}
	answers := func(first int) {
		for i := range 300 {
			var some []study.Outcome
			for k := range 10 {
				p := first + 10*i + k
				o := study.Outcome{
					Position: study.Position(p), Kind: study.Answered, Shown: []int{1, 2}, Picks: []int{0},
					Respondent: fmt.Sprint("respondent ", p%500), At: now,
				}
				if p%37 == 0 {
					o.Respondent, o.Note.Rationale = name, "because "+name
				}
				some = append(some, o)
			}
			if _, err := store.Record(t.Context(), "a", study.NoLimit, some...); err != nil {
				t.Fatal(err)
			}
		}
	}
	answers(0)
	if err := store.Import(t.Context(), "a", "survey", storetest.Batch(study.Outcome{
		Position: study.OutsideDeck,
		Kind:     study.Imported, Respondent: name, At: now,
	})); err != nil {
		t.Fatal(err)
	}
	answers(3000)
	if _, err := store.Erase(t.Context(), "a", name, study.Plan{Version: 1, Restart: &study.Restart{}, At: now}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, path + "-wal"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte(name)); n > 0 {
			t.Errorf("%s has the name %d times", filepath.Base(file), n)
		}
		if n := bytes.Count(data, []byte("respondent 7")); (n > 0) != (file == path) {
			t.Errorf("%s has another name %d times", filepath.Base(file), n)
		}
	}
}
