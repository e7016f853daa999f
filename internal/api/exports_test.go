package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/internal/answers"
	"bestpick/internal/table"
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
			if reply.status != 200 || reply.header.Get("Content-Type") != kinds[0] || reply.header.Get("Content-Disposition") != "attachment; filename="+kinds[1] {
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
