package api_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/client"
	"bestpick/internal/answers"
	"bestpick/internal/table"
	"bestpick/wire"
)

// TestNotes: rationale, metadata and judge of an answer are in the exports of answers, with the
// context, and can be imported. A repeated answer keeps its first note, and an erasure deletes it.
func TestNotes(t *testing.T) {
	s := begin(t, setting{patience: 20 * time.Second})
	ctx, id := t.Context(), s.draft(quick()).ID
	_, err := s.owner.SetContexts(ctx, id, 0, client.File{Name: "texts.csv", Contents: strings.NewReader(contextTexts())}, "plain")
	s.must(err)
	_, err = s.owner.Open(ctx, id)
	s.must(err)
	q := s.ask(id, "gpt")
	note := wire.Note{Rationale: "=“B”\nis <warmer>", Metadata: map[string]string{"version": "7", "empty": ""}, Judge: "model"}
	reply := wire.Answer{Token: q.Token, Picks: []string{q.Arms[0].ID}, Note: note}
	_, err = s.respondent.Reply(ctx, id, reply)
	s.must(err)
	reply.Rationale = "another"
	_, err = s.respondent.Reply(ctx, id, reply)
	s.must(err)
	plain := s.answer(id, "anna")

	want := []answers.Row{
		{Context: q.Context, Judge: "model", Rationale: note.Rationale, Metadata: note.Metadata},
		{Context: plain.Context, Judge: "person"},
	}
	if got := s.notes(id); !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
	for _, format := range []table.Format{table.CSV, table.JSONLines} {
		to := s.open(quick()).ID
		_, err = s.owner.Import(ctx, to, "", client.File{Name: "answers." + string(format), Contents: strings.NewReader(s.export(id, format))})
		s.must(err)
		imported := []answers.Row{{Judge: "model", Rationale: note.Rationale, Metadata: note.Metadata}, {Judge: "person"}}
		if got := s.notes(to); !cmp.Equal(imported, got) {
			t.Error(cmp.Diff(imported, got))
		}
	}
	_, err = s.owner.Erase(ctx, id, "gpt")
	s.must(err)
	if got := s.notes(id); !cmp.Equal(want[1:], got) {
		t.Error(cmp.Diff(want[1:], got))
	}
}

// TestPlainExports: the answers of a study with neither contexts nor notes have no columns for them.
func TestPlainExports(t *testing.T) {
	s := begin(t, setting{})
	id := s.open(slow()).ID
	s.answer(id, "anna")
	for _, format := range []table.Format{table.CSV, table.JSONLines, table.Parquet} {
		if file := s.export(id, format); strings.Contains(file, "rationale") || strings.Contains(file, "context") {
			t.Errorf("%s", file)
		}
	}
}

// TestNotesRefused: notes beyond the limits are refused, also in imported files.
func TestNotesRefused(t *testing.T) {
	s := begin(t, setting{})
	ctx, id := t.Context(), s.open(quick()).ID
	many := map[string]string{}
	for i := range 21 {
		many[strings.Repeat("x", i+1)] = ""
	}
	q := s.ask(id, "anna")
	for _, c := range []struct {
		field string
		note  wire.Note
	}{
		{"rationale", wire.Note{Rationale: strings.Repeat("x", 4001)}},
		{"metadata", wire.Note{Metadata: many}},
		{"metadata", wire.Note{Metadata: map[string]string{"x": strings.Repeat("é", 2000)}}},
		{"judge", wire.Note{Judge: "cat"}},
	} {
		_, err := s.respondent.Reply(ctx, id, wire.Answer{Token: q.Token, Picks: []string{q.Arms[0].ID}, Note: c.note})
		s.refused(err, 422, wire.Invalid, "body."+c.field)
	}
	for text, problem := range map[string]string{
		`"judge":"cat"`: "judge", `"metadata":{"a":1}`: "metadata", `"rationale":"` + strings.Repeat("x", 4001) + `"`: "rationale",
	} {
		_, err := s.owner.Import(ctx, id, "", client.File{
			Name: "a.jsonl", Contents: strings.NewReader(`{"shown":["apple","pear"],"picks":["pear"],` + text + `}`),
		})
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

// export returns the answers of a study as a file.
func (s *stage) export(id string, format table.Format) string {
	s.Helper()
	var file bytes.Buffer
	s.must(s.owner.Export(s.Context(), id, "answers", string(format), &file))
	return file.String()
}

// notes returns the annotations of the answers of a study.
func (s *stage) notes(id string) (rows []answers.Row) {
	s.Helper()
	for line := range strings.Lines(s.export(id, table.JSONLines)) {
		var row struct {
			Context   string            `json:"context"`
			Judge     string            `json:"judge"`
			Rationale string            `json:"rationale"`
			Metadata  map[string]string `json:"metadata"`
		}
		s.must(json.Unmarshal([]byte(line), &row))
		if len(row.Metadata) == 0 {
			row.Metadata = nil
		}
		rows = append(rows, answers.Row{Context: row.Context, Judge: row.Judge, Rationale: row.Rationale, Metadata: row.Metadata})
	}
	return rows
}
