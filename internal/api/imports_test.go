package api_test

import (
	"bytes"
	"strings"
	"testing"

	"bestpick/internal/table"
	"bestpick/wire"
)

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
		{"a.jsonl", `{"shown":["apple","pear"],"picks":["pear"],"segment":"south"}` + "\n" + `{"shown":["apple","x"],"picks":["apple"]}`, `a.jsonl:2: column "shown": unknown arm "x"`},
		{"a.jsonl", `{"shown":["apple","pear"],"picks":["pear"],"segment":"east"}`, `a.jsonl:1: column "segment": there is no segment "east"`},
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
