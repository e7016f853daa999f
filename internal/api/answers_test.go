package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bestpick/client"
	"bestpick/internal/answers"
	"bestpick/internal/table"
	"bestpick/wire"
)

// TestExportAnswers: all answers are exported, but not those taken back.
func TestExportAnswers(t *testing.T) {
	s := begin(t, setting{})
	study := s.open(slow())
	var want []string
	for n := range 4 {
		q := s.answer(study.ID, fmt.Sprint("=respondent ", n))
		want = append(want, fmt.Sprint(q.Arms[0].ID, " of ", q.Arms[0].ID, q.Arms[1].ID, q.Arms[2].ID, " by ", q.Respondent))
	}
	undone := s.answer(study.ID, "undone")
	s.must(s.respondent.Undo(t.Context(), study.ID, undone.Token))
	skipped := s.ask(study.ID, "skipped")
	s.must(s.respondent.Skip(t.Context(), study.ID, skipped.Token))
	for _, format := range []table.Format{table.CSV, table.JSONLines} {
		var text bytes.Buffer
		s.must(s.owner.Export(t.Context(), study.ID, "answers", string(format), &text))
		var got []string
		for _, row := range s.rows(text.Bytes(), "answers."+string(format)) {
			got = append(got, fmt.Sprint(strings.Join(row.Picks, ""), " of ", strings.Join(row.Shown, ""), " by ", row.Respondent))
			if row.Asked.IsZero() || row.At.Before(row.Asked) || time.Since(row.At) > time.Minute {
				t.Errorf("%s: asked at %v, answered at %v", format, row.Asked, row.At)
			}
		}
		if strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("%s: got %v, want %v", format, got, want)
		}
		if format == table.CSV && strings.Count(text.String(), "skipped") != 2 { // once as the kind, once as the respondent
			t.Errorf("the skipped question is not exported once:\n%s", text.String())
		}
	}
}

// rows returns the answers in a file.
func (s *stage) rows(text []byte, name string) (rows []answers.Row) {
	s.Helper()
	reader, err := answers.NewReader(bytes.NewReader(text), name, table.Limits{Rows: 1000})
	s.must(err)
	for row, err := range reader.Rows() {
		s.must(err)
		rows = append(rows, row)
	}
	return rows
}

// TestExportsOfDrafts: studies without answers can be exported.
func TestExportsOfDrafts(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	for what, kinds := range map[string][]string{
		"log":                    {"application/jsonl", study.ID + ".jsonl"},
		"answers":                {"text/csv; charset=utf-8", study.ID + "-answers.csv"},
		"answers?format=jsonl":   {"application/jsonl", study.ID + "-answers.jsonl"},
		"answers?format=parquet": {"application/vnd.apache.parquet", study.ID + "-answers.parquet"},
		"arms":                   {"text/csv; charset=utf-8", study.ID + "-arms.csv"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			reply := s.send(sent{token: s.owner.Token, method: method, path: "/studies/" + study.ID + "/export/" + what})
			if reply.status != 200 || reply.header.Get("Content-Type") != kinds[0] ||
				reply.header.Get("Content-Disposition") != "attachment; filename="+kinds[1] {
				t.Errorf("%s %s: %d %v", method, what, reply.status, reply.header)
			}
			if (reply.text == "") != (method == http.MethodHead) && what != "answers?format=jsonl" {
				t.Errorf("%s %s: %q", method, what, reply.text)
			}
		}
	}
}

// TestExportArms: the arms are exported with their original columns and whether they are withdrawn,
// and can be imported again.
func TestExportArms(t *testing.T) {
	s := begin(t, setting{idle: true})
	study := s.draft(quick())
	_, err := s.owner.Withdraw(t.Context(), study.ID, "lemon")
	s.must(err)
	var text bytes.Buffer
	s.must(s.owner.Export(t.Context(), study.ID, "arms", "csv", &text))
	if !strings.Contains(text.String(), "lemon,A lemon,-1,4,true\n") || !strings.Contains(text.String(), "plum,A plum,2,1,false\n") {
		t.Errorf("the exported arms are\n%s", text.String())
	}
	for _, format := range []table.Format{table.JSONLines, table.Parquet} {
		text.Reset()
		s.must(s.owner.Export(t.Context(), study.ID, "arms", string(format), &text))
		if arms := s.encoded("arms."+string(format), text.Bytes()); arms.Arms.Len() != 6 {
			t.Errorf("%v: %d arms", format, arms.Arms.Len())
		}
	}
}

// TestImport: answers exported from one study can be imported into another, as CSV and as JSON
// Lines, and each batch once.
func TestImport(t *testing.T) {
	s := begin(t, setting{})
	from, to := s.open(quick()), s.open(quick())
	for _, who := range []string{"anna", "bert", "cleo"} {
		s.answer(from.ID, who)
	}
	count := 0
	for _, format := range []table.Format{table.CSV, table.JSONLines} {
		var text bytes.Buffer
		s.must(s.owner.Export(t.Context(), from.ID, "answers", string(format), &text))
		name := "answers." + string(format)
		done, err := s.owner.Import(t.Context(), to.ID, "", file(name, text.String()))
		s.must(err)
		if done.Answers != 3 || len(done.Batch) != 64 {
			t.Errorf("%s: %+v", format, done)
		}
		count += done.Answers
		_, err = s.owner.Import(t.Context(), to.ID, "", file(name, text.String()))
		if problem := s.refused(err, 409, wire.Known, ""); problem.Detail != "a batch of this name was imported before" {
			t.Errorf("the detail is %q", problem.Detail)
		}
	}
	s.eventually("they are counted", func() bool {
		verdict := s.verdict(to.ID)
		return verdict.Answers == count
	})
	_, err := s.owner.Import(t.Context(), to.ID, "mine", file("a.csv", "shown_1,shown_2,pick_1\napple,pear,pear\n"))
	s.must(err)
	_, err = s.owner.Import(t.Context(), to.ID, "mine", file("b.csv", "shown_1,shown_2,pick_1\nplum,pear,pear\n"))
	s.refused(err, 409, wire.Known, "")
}

// TestImportProblems: an invalid file is rejected as a whole, with the location of the problem.
func TestImportProblems(t *testing.T) {
	s := begin(t, setting{idle: true})
	settings := quick()
	settings.Model = &wire.Model{Segments: []wire.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 1}}}
	study := s.draft(settings)
	header := "shown_1,shown_2,shown_3,pick_1,segment\n"
	good := strings.Repeat("apple,pear,plum,plum,north\n", 15)
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", header + good + "apple,x,plum,plum,north\n", `a.csv:17: column "shown_2": unknown arm "x"`},
		{"a.csv", header + good + "apple,pear,plum,lemon,north\n", `a.csv:17: column "pick_1": "lemon" is picked, but not shown`},
		{"a.csv", header + good + "apple,pear,plum,plum,east\n", `a.csv:17: column "segment": there is no segment "east"`},
		{"a.csv", header, "a.csv: "},
		{"a.jsonl", `{"shown":["apple","pear"],"picks":["pear"],"segment":"south"}` + "\n" +
			`{"shown":["apple","x"],"picks":["apple"]}`, `a.jsonl:2: column "shown": unknown arm "x"`},
		{
			"a.jsonl", `{"shown":["apple","pear"],"picks":["pear"],"segment":"east"}`,
			`a.jsonl:1: column "segment": there is no segment "east"`,
		},
	} {
		_, err := s.owner.Import(t.Context(), study.ID, "", file(c.name, c.text))
		problem := s.refused(err, 422, wire.Invalid, "body.answers")
		if !strings.HasPrefix(problem.Errors[0].Message, c.want) {
			t.Errorf("got %q, want %q", problem.Errors[0].Message, c.want)
		}
	}
	if log, err := s.store.Log(t.Context(), study.ID, 0, 10); err != nil || len(log) != 0 {
		t.Errorf("the log has %d outcomes, %v", len(log), err)
	}
	_, err := s.owner.Import(t.Context(), "none", "", file("a.csv", header+good))
	s.refused(err, 404, wire.NotFound, "")
	slots := s.draft(wire.Settings{K: 3, Model: &wire.Model{Slots: true}})
	_, err = s.owner.Import(t.Context(), slots.ID, "", file("a.csv", header+good))
	s.refused(err, 422, wire.Invalid, "body.answers")
	_, err = s.owner.Open(t.Context(), study.ID)
	s.must(err)
	_, err = s.owner.Close(t.Context(), study.ID)
	s.must(err)
	_, err = s.owner.Import(t.Context(), study.ID, "", file("a.csv", header+good))
	s.refused(err, 409, wire.StudyDone, "")
}

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
		_, err = s.owner.Import(ctx, to, "", client.File{
			Name:     "answers." + string(format),
			Contents: strings.NewReader(s.export(id, format)),
		})
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

// TestNotesOff: a study takes notes only if its owner has allowed them, which the form for studies on pages does not do.
func TestNotesOff(t *testing.T) {
	s := begin(t, setting{})
	ctx, id := t.Context(), s.open(wire.Settings{K: 3, Grace: -1}).ID
	q := s.ask(id, "")
	answer := wire.Answer{Token: q.Token, Picks: []string{q.Arms[0].ID}}
	for _, answer.Note = range []wire.Note{{Rationale: "x"}, {Metadata: map[string]string{"a": "b"}}} {
		_, err := s.respondent.Reply(ctx, id, answer)
		s.refused(err, 422, wire.Invalid, "body.rationale")
	}
	answer.Note = wire.Note{}
	_, err := s.respondent.Reply(ctx, id, answer)
	s.must(err)
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
