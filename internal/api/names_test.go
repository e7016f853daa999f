package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/wire"
)

// twelveModels are options without attributes, as JSON Lines.
func twelveModels() client.File {
	var lines strings.Builder
	for i := range 12 {
		fmt.Fprintf(&lines, "{\"id\":\"model-%d\"}\n", i)
	}
	return file("models.jsonl", lines.String())
}

// TestNamesOnly: options without attributes make a study, with a warning that attributes would help.
func TestNamesOnly(t *testing.T) {
	s := begin(t, setting{})
	created, err := s.owner.Create(t.Context(), client.NewStudy{Name: "Models", Catalogue: twelveModels()})
	s.must(err)
	if len(created.Warnings) != 1 || !strings.Contains(created.Warnings[0].Text, "columns that describe them would reduce the number of answers") {
		t.Errorf("%+v", created.Warnings)
	}
}

// TestColumns: an owner can say what columns are.
func TestColumns(t *testing.T) {
	s := begin(t, setting{idle: true})
	create := func(columns wire.Columns) (wire.Created, error) {
		return s.owner.Create(t.Context(), client.NewStudy{Name: "Shoes", Columns: columns, Catalogue: file("shoes.csv", "name,Size (EU),price\nA,40,$10\nB,41,$12\nC,42,\nD,40,$9\n")})
	}
	created, err := create(wire.Columns{Kinds: map[string]string{"Size (EU)": "category"}, Missing: map[string]string{"price": "drop"}})
	s.must(err)
	if created.Study.Arms != 3 {
		t.Errorf("%d arms", created.Study.Arms)
	}
	created, err = create(wire.Columns{})
	s.must(err)
	if created.Study.Arms != 4 || len(created.Warnings) == 0 || created.Warnings[0].Text != "missing values: options without price (1) get the mean and an indicator" {
		t.Errorf("%+v", created)
	}
	_, err = create(wire.Columns{Kinds: map[string]string{"size": "shoe"}})
	s.refused(err, 422, wire.Invalid, "body.columns.kinds")
	_, err = create(wire.Columns{Missing: map[string]string{"price": "guess"}})
	s.refused(err, 422, wire.Invalid, "body.columns.missing")
	_, err = s.owner.Create(t.Context(), client.NewStudy{Name: "x", Catalogue: file("a.jsonl", `{"id":"a","x":["p"]}`+"\n"+`{"id":"b","x":[1]}`)})
	if problem := s.refused(err, 422, wire.Invalid, "body.catalogue"); !strings.HasSuffix(problem.Errors[0].Message, ", or make the column ignored in columns.kinds") {
		t.Errorf("the problem is %+v", problem)
	}
}
