package answers_test

import (
	"strings"
	"testing"

	"bestpick/internal/answers"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// TestLabels: delimited text has the labels of shown and picked arms, protected like ids, and a reader ignores them.
// Other formats do not have them.
func TestLabels(t *testing.T) {
	row := answers.Row{Number: 1, Kind: "answered", Shown: []string{"a", "b"}, Picks: []string{"b"}, Labels: []string{"Orb", "=Reed"}}
	for _, format := range []table.Format{table.CSV, table.JSONLines} {
		var file strings.Builder
		out := answers.NewWriter(&file, format, answers.Layout{Shown: 2, Picks: 1, Labels: true})
		testsupport.NoError(t, out.Write(row))
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(file.String(), "Reed"); has != (format == table.CSV) {
			t.Errorf("%s has labels: %v\n%s", format, has, file.String())
		}
		if format == table.CSV {
			const header, cells = "shown_1,shown_2,pick_1,shown_1_label,shown_2_label,pick_1_label\n", ",a,b,b,Orb,'=Reed,'=Reed\n"
			if !strings.Contains(file.String(), header) || !strings.HasSuffix(file.String(), cells) {
				t.Error(file.String())
			}
		}
		from, err := answers.NewReader(strings.NewReader(file.String()), "answers."+string(format), table.Limits{})
		testsupport.NoError(t, err)
		read := 0
		for got, err := range from.Rows() {
			testsupport.NoError(t, err)
			if read++; len(got.Shown) != 2 || got.Picks[0] != "b" || got.Labels != nil {
				t.Errorf("%+v", got)
			}
		}
		if read != 1 {
			t.Errorf("%d rows", read)
		}
	}
	if err := answers.NewWriter(&strings.Builder{}, table.CSV, answers.Layout{Shown: 2, Picks: 1}).Write(answers.Row{Labels: []string{"x"}}); err == nil {
		t.Error("a label without an arm is written")
	}
}
