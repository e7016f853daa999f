package access

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A fullAudit rejects every entry.
type fullAudit struct{ Audit }

func (fullAudit) AddEntry(context.Context, Entry) error { return errors.New("the disk is full") }

// TestRecordFails: an entry that cannot be written goes to the log, without the id of the study.
func TestRecordFails(t *testing.T) {
	const id = "nuwjwlcxyz"
	var log bytes.Buffer
	Record(t.Context(), fullAudit{}, Entry{By: "Zoë", Operation: "export-log", Study: id, Detail: "jsonl"},
		slog.New(slog.NewTextHandler(&log, nil)))
	text := log.String()
	for _, want := range []string{"by=Zoë", "operation=export-log", "study=" + Pseudonym(id), "detail=jsonl", "the disk is full"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if strings.Contains(text, id) {
		t.Errorf("the id is in %s", text)
	}
}

// TestPseudonym: pseudonyms differ, are short, and say nothing of the id.
func TestPseudonym(t *testing.T) {
	const one, other = "nuwjwlcxyz", "nuwjwlcxyy"
	if Pseudonym(one) == Pseudonym(other) || len(Pseudonym(one)) != 8 || strings.Contains(one, Pseudonym(one)) ||
		Pseudonym("") != "" {
		t.Errorf("%q, %q and %q", Pseudonym(one), Pseudonym(other), Pseudonym(""))
	}
}
