package sqlstore

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"bestpick/internal/study"
)

// An Entry is a valid outcome, with its lists and its note as JSON.
type Entry struct {
	study.Outcome

	ShownJSON, PicksJSON string
	NoteJSON             string // empty without a note
}

// recordEntries returns the entries of a call of Record, or an error if any outcome is invalid.
func recordEntries(outcomes []study.Outcome) ([]Entry, error) {
	entries := make([]Entry, len(outcomes))
	for i, o := range outcomes {
		switch o.Kind {
		case study.Imported:
			return nil, fmt.Errorf("store: outcome %d must not be imported: use Import", i+1)
		case study.Erased:
			return nil, fmt.Errorf("store: outcome %d must not be erased", i+1)
		case study.Arrived:
			return nil, fmt.Errorf("store: outcome %d must not be an arrival: use Deal", i+1)
		case study.Answered, study.Skipped, study.Undone, study.Lost:
		}
		var err error
		if entries[i], err = newEntry(o); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// AdoptedEntries returns the entries of a study from another store, or an error if any part is invalid.
func AdoptedEntries(w study.Archive) ([]Entry, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	for _, batch := range w.Batches {
		if err := checkBatch(batch); err != nil {
			return nil, err
		}
	}
	entries := make([]Entry, len(w.Outcomes))
	for i, o := range w.Outcomes {
		var err error
		if entries[i], err = newEntry(o); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func checkBatch(name string) error {
	const longest = 1000 // bytes, the limit of an index
	if len(name) > longest || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return fmt.Errorf("store: invalid batch name %.100q: must be valid UTF-8 of at most %d bytes", name, longest)
	}
	return nil
}

// importedEntry returns the entry of the nth outcome of a batch.
func importedEntry(batch string, n int, o study.Outcome) (Entry, error) {
	if o.Kind != study.Imported {
		return Entry{}, fmt.Errorf("store: batch %q, outcome %d: the kind must be imported, got %q", batch, n, o.Kind)
	}
	e, err := newEntry(o)
	if err != nil {
		return Entry{}, fmt.Errorf("store: batch %q, outcome %d: %w", batch, n, err)
	}
	return e, nil
}

func newEntry(o study.Outcome) (Entry, error) {
	if err := o.Check(); err != nil {
		return Entry{}, err
	}
	var content any = o.Shown
	if o.Kind == study.Arrived {
		content = o.Hand
	}
	shown, err := json.Marshal(content)
	if err != nil {
		return Entry{}, err
	}
	picks, err := json.Marshal(o.Picks)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Outcome: o, ShownJSON: string(shown), PicksJSON: string(picks)}
	if o.Note.IsZero() {
		return e, nil
	}
	note, err := json.Marshal(o.Note)
	e.NoteJSON = string(note)
	return e, err
}
