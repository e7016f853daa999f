package recorded_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/answers"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

const armsFile = `id,price,colour,withdrawn
a,1,red,false
'=b,2,blue,false
c,4,red,true
`

// TestReadAnswers: what a study exports in either format, with the columns of its arms, is the model of the
// same choices.
func TestReadAnswers(t *testing.T) {
	rows := []answers.Row{
		{Number: 1, Kind: "answered", Respondent: "ann", Shown: []string{"a", "=b", "c"}, Picks: []string{"=b", "a"}},
		{Number: 2, Kind: "skipped", Respondent: "ann", Shown: []string{"a", "c"}},
		{Number: 3, Kind: "answered", Respondent: "bob", Shown: []string{"c", "a"}, Picks: []string{"a"}},
	}
	form := recorded.LongForm{Features: []string{"price", "colour"}, Respondent: "respondent"}
	theta := []float64{-0.3, 0.7}
	first := func(u ...float64) float64 { return u[0] - choice.LogSumExp(u) }
	want := first(-.6+.7, -.3, -1.2) + first(-.3, -1.2) + first(-.3, -1.2)
	for _, format := range []table.Format{table.CSV, table.JSONLines} {
		var file bytes.Buffer
		out := answers.NewWriter(&file, format, answers.Layout{Shown: 3, Picks: 2})
		for _, row := range rows {
			testsupport.NoError(t, out.Write(row))
		}
		testsupport.NoError(t, out.Close())
		choices, err := recorded.ReadAnswers(source(file.String(), "answers."+string(format)), source(armsFile, "arms.csv"), form)
		testsupport.NoError(t, err)
		if names := choices.Records.Names(); !slices.Equal(names, []string{"price", "colour=blue"}) || choices.RespondentCount != 2 {
			t.Errorf("parameters %v of %d respondents", names, choices.RespondentCount)
		}
		approx.Equal(t, string(format), choices.Records.LogLikelihood(theta), want, 1e-13)
	}
}

// TestReadOffers: none, ties and the worst arm of exported answers, against the sums of decision 19.
func TestReadOffers(t *testing.T) {
	const given = `kind,shown_1,shown_2,shown_3,pick_1,pick_2
answered,a,'=b,c,c,a
none,a,c,,,
tie,a,'=b,,,
skipped,a,c,,,
`
	form := recorded.LongForm{Features: []string{"price"}, Outside: true, Ties: true, Worst: "worst"}
	choices, err := recorded.ReadAnswers(source(given, "answers.csv"), source(armsFile, "arms.csv"), form)
	testsupport.NoError(t, err)
	const none, tie = 0.4, -0.2
	a, b, c := -.3, -.6, -1.2
	first := func(u ...float64) float64 { return u[0] - choice.LogSumExp(u) }
	want := first(c, a, b, none, (a+b+c)/3+tie) + first(-a, -b) + // the best, then the worst of the others
		first(none, a, c, (a+c)/2+tie) + first((a+b)/2+tie, a, b, none)
	if names := choices.Records.Names(); !slices.Equal(names, []string{"price", "none", "tie"}) {
		t.Errorf("parameters %v", names)
	}
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood([]float64{-0.3, none, tie}), want, 1e-13)
	form = recorded.LongForm{Features: []string{"price"}}
	choices, err = recorded.ReadAnswers(source(given, "answers.csv"), source(armsFile, "arms.csv"), form)
	testsupport.NoError(t, err)
	approx.Equal(t, "as a ranking", choices.Records.LogLikelihood([]float64{-0.3}), first(c, a, b)+first(a, b), 1e-13)
}

func TestReadAnswersRefusals(t *testing.T) {
	const given = "shown_1,shown_2,pick_1\na,c,a\n"
	price := recorded.LongForm{Features: []string{"price"}}
	for _, c := range []struct {
		name, answers, arms string
		form                recorded.LongForm
		says                string
	}{
		{"unknown arm", "shown_1,shown_2,pick_1\na,d,a\n", armsFile, price, `answers.csv:2: column "shown_2": arms.csv has no arm "d"`},
		{"no ids", given, "name,price\na,1\n", price, `arms.csv:1: column "id": there is no such column; there are name, price`},
		{"an id twice", given, armsFile + "a,3,red,false\n", price, `arms.csv:5: column "id": "a" appears twice`},
		{"no feature", given, armsFile, recorded.LongForm{Features: []string{"size"}}, `arms.csv: column "size": there is no such column; there are id, price, colour, withdrawn`},
		{"a pick of none", "kind,shown_1,shown_2,pick_1\nnone,a,c,a\n", armsFile, recorded.LongForm{Features: []string{"price"}, Outside: true}, `answers.csv:2: column "pick_1": "a" is picked in an answer of kind none`},
		{"no number", given, strings.Replace(armsFile, "c,4", "c,four", 1), price, `arms.csv:4: column "price": "four" is not a number`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := recorded.ReadAnswers(source(c.answers, "answers.csv"), source(c.arms, "arms.csv"), c.form)
			wantError(t, err, c.says)
		})
	}
}

func source(text, name string) recorded.Source {
	return recorded.Source{Reader: strings.NewReader(text), Name: name}
}
