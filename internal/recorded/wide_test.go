package recorded_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/answers"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// wideForm are the columns of the files below, whichever form they have.
var wideForm = recorded.LongForm{
	Task: "task", Alternative: "alternative", Chosen: "chosen",
	Features: []string{"price", "size"}, ByAlternative: []string{"income"}, AllConstants: true,
}

// wideTasks are tasks with three alternatives: income, prices, sizes, the pick.
var wideTasks = [][]float64{
	{10, 1, 2, 3, 4, 5, 1, 0},
	{20, 2, 1, 3, 3, 2, 2, 1},
	{35, 2, 2, 1, 1, 4, 3, 2},
	{15, 3, 1, 2, 2, 2, 5, 1},
	{50, 1, 3, 2, 4, 1, 2, 0},
	{25, 2, 2, 3, 2, 5, 1, 2},
}

// longText writes the tasks in long form.
func longText() string {
	var text strings.Builder
	text.WriteString("task,alternative,chosen,price,size,income\n")
	for t, row := range wideTasks {
		for i, name := range []string{"car", "bus", "rail"} {
			chosen := 0
			if int(row[7]) == i {
				chosen = 1
			}
			fmt.Fprintf(&text, "%d,%s,%d,%v,%v,%v\n", t, name, chosen, row[1+i], row[4+i], row[0])
		}
	}
	return text.String()
}

// wideText writes the tasks in wide form, with a column for each attribute and alternative.
func wideText(column func(attribute, alternative string) string, choice string, pick func(i int) string) string {
	var text strings.Builder
	text.WriteString("income")
	for _, attribute := range []string{"price", "size"} {
		for _, name := range []string{"car", "bus", "rail"} {
			text.WriteString("," + column(attribute, name))
		}
	}
	text.WriteString("," + choice + "\n")
	for _, row := range wideTasks {
		for _, x := range row[:7] {
			fmt.Fprintf(&text, "%v,", x)
		}
		text.WriteString(pick(int(row[7])) + "\n")
	}
	return text.String()
}

// TestWideIsLong: every usual way to write wide form gives the choices of long form.
func TestWideIsLong(t *testing.T) {
	want, names := evaluate(read(t, longText(), wideForm))
	if wantNames := []string{"bus", "rail", "price", "size", "income:bus", "income:rail"}; !slices.Equal(names, wantNames) {
		t.Errorf("parameters %v, want %v", names, wantNames)
	}
	named := func(i int) string { return []string{"car", "bus", "rail"}[i] }
	numbered := func(i int) string { return strconv.Itoa(i + 1) }
	join := func(separator string) func(a, b string) string {
		return func(a, b string) string { return a + separator + b }
	}
	for name, text := range map[string]string{
		"underscore, name":     wideText(join("_"), "chosen", named),
		"point, number":        wideText(join("."), "chosen", numbered),
		"called choice":        wideText(join("_"), "Choice", named),
		"prefixed number":      wideText(join("_"), "chosen", func(i int) string { return "chosen" + numbered(i) }),
		"alternative first":    wideText(func(a, b string) string { return b + "_" + a }, "chosen", named),
		"colon":                wideText(join(":"), "chosen", named),
		"space":                wideText(join(" "), "chosen", named),
		"semicolons as commas": strings.ReplaceAll(wideText(join("-"), "chosen", named), ",", ";"),
	} {
		t.Run(name, func(t *testing.T) {
			choices := read(t, text, wideForm)
			got, gotNames := evaluate(choices)
			approx.Equal(t, "log-likelihood", got, want, 1e-12)
			if !slices.Equal(gotNames, names) {
				t.Errorf("parameters %v, want %v", gotNames, names)
			}
		})
	}
	t.Run("numbers as alternatives", func(t *testing.T) {
		digits := strings.NewReplacer("car", "1", "bus", "2", "rail", "3").Replace(wideText(join(""), "chosen", named))
		got := read(t, digits, wideForm)
		if names := got.Records.Names(); names[0] != "alternative=2" || names[4] != "income:2" {
			t.Errorf("parameters %v", names)
		}
	})
}

// TestWideOutcomes: picks and ranks may be spread over alternatives, too.
func TestWideOutcomes(t *testing.T) {
	const spread = `x_a,x_b,x_c,chosen_a,chosen_b,chosen_c,rank_a,rank_b,rank_c
1,2,3,0,1,0,2,1,
4,1,2,1,0,0,1,,2
`
	form := recorded.LongForm{Task: "task", Alternative: "alternative", Chosen: "chosen", Features: []string{"x"}}
	theta := []float64{0.3}
	first := func(u ...float64) float64 { return u[0] - choice.LogSumExp(u) }
	want := first(.6, .3, .9) + first(1.2, .3, .6)
	approx.Equal(t, "picks", read(t, spread, form).Records.LogLikelihood(theta), want, 1e-12)
	form.Rank = "rank"
	want += first(.3, .9) + first(.6, .3)
	approx.Equal(t, "ranks", read(t, spread, form).Records.LogLikelihood(theta), want, 1e-12)
}

// TestWideAbsentColumns: an alternative without a column of an attribute has 0 there, once the alternatives
// are named.
func TestWideAbsentColumns(t *testing.T) {
	const text = "chosen,time_car,time_bus,wait_bus\ncar,1,2,3\nbus,4,2,1\nbus,3,1,2\n"
	form := recorded.LongForm{Task: "task", Alternative: "alternative", Chosen: "chosen", Features: []string{"time", "wait"}}
	_, err := recorded.ReadLong(strings.NewReader(text), "choices.csv", form)
	wantError(t, err, `choices.csv: column "wait_car": there is no such column, but there are others of "wait"`)
	form.Alternatives = []string{"car", "bus"}
	theta := []float64{-0.5, -0.25}
	first := func(u ...float64) float64 { return u[0] - choice.LogSumExp(u) }
	want := first(-0.5, -1-0.75) + first(-1-0.25, -2) + first(-0.5-0.5, -1.5)
	approx.Equal(t, "log-likelihood", read(t, text, form).Records.LogLikelihood(theta), want, 1e-12)
}

func TestWideRefusals(t *testing.T) {
	form := recorded.LongForm{Task: "task", Alternative: "alternative", Chosen: "chosen", Features: []string{"x"}}
	both := form
	both.Features = []string{"x", "y"}
	columns := form
	columns.Features = []string{"x_a", "x_b"}
	for _, c := range []struct {
		name, text string
		form       recorded.LongForm
		says       string
	}{
		{
			"unknown pick", "chosen,x_a,x_b\nc,1,2\n", form,
			`choices.csv:2: column "chosen": "c" is neither an alternative nor its number; the alternatives are a, b`,
		},
		{
			"pick between two", "chosen,x_a,x_b\n1.5,1,2\n", form,
			`choices.csv:2: column "chosen": "1.5" is neither an alternative nor its number; the alternatives are a, b`,
		},
		{"missing pick", "chosen,x_a,x_b\n,1,2\n", form, `choices.csv:2: column "chosen": the value is missing`},
		{"no pick", "x_a,x_b\n1,2\n", form, `column "chosen": there is no such column; there are x_a, x_b`},
		{"no number", "chosen,x_a,x_b\na,1,2\nb,1,two\n", form, `choices.csv:3: column "x_b": "two" is not a number`},
		{
			"absent column", "chosen,x_a,x_b,x_c,y_a,y_b\na,1,2,3,4,5\n", both,
			`column "y_c": there is no such column, but there are others of "y"; to count it as 0, name all alternatives: --alternatives a,b,c`,
		},
		{
			"columns named", "choice,x_a,x_b\na,1,2\n", columns,
			`there are choice, x_a, x_b; for a file with one row for each task, name the attribute, --features x, not its columns`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := recorded.ReadLong(strings.NewReader(c.text), "choices.csv", c.form)
			wantError(t, err, c.says)
		})
	}
}

func wantError(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got  %v\nwant %s", err, says)
	}
}

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
		{
			"no feature", given, armsFile,
			recorded.LongForm{Features: []string{"size"}},
			`arms.csv: column "size": there is no such column; there are id, price, colour, withdrawn`,
		},
		{
			"a pick of none", "kind,shown_1,shown_2,pick_1\nnone,a,c,a\n", armsFile,
			recorded.LongForm{Features: []string{"price"}, Outside: true},
			`answers.csv:2: column "pick_1": "a" is picked in an answer of kind none`,
		},
		{
			"no number", given, strings.Replace(armsFile, "c,4", "c,four", 1), price,
			`arms.csv:4: column "price": "four" is not a number`,
		},
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

// TestWideNumbering: choices numbered from 0, and several tasks in one line of JSON.
func TestWideNumbering(t *testing.T) {
	columns := recorded.LongForm{Task: "task", Alternative: "alternative", Chosen: "choice", Features: []string{"x"}}
	want := read(t, "choice,x_a,x_b,x_c\n2,1,2,4\n3,2,5,3\n1,1,7,1\n", columns).Records
	for _, text := range []string{
		"choice,x_a,x_b,x_c\n1,1,2,4\n2,2,5,3\n0,1,7,1\n",
		`[{"choice":"b","x_a":1,"x_b":2,"x_c":4},{"choice":"c","x_a":2,"x_b":5,"x_c":3},{"choice":"a","x_a":1,"x_b":7,"x_c":1}]`,
	} {
		got, err := recorded.ReadLong(strings.NewReader(text), "w", columns)
		testsupport.NoError(t, err)
		approx.Equal(t, "log-likelihood", got.Records.LogLikelihood([]float64{0.3}), want.LogLikelihood([]float64{0.3}), 1e-13)
	}
	_, err := recorded.ReadLong(strings.NewReader("choice,x_a,x_b,x_c\n0,1,2,4\n3,2,5,3\n"), "w.csv", columns)
	wantError(t, err, `w.csv:2: column "choice": "0" is neither an alternative nor its number; the alternatives are a, b, c`)
	_, err = recorded.ReadLong(strings.NewReader("choice,x_a,x_b,x_c\n1,1,2,4\n2,2,5,3\n"), "w.csv", columns)
	wantError(t, err, `w.csv: column "choice": no row tells whether alternatives are numbered from 0 or from 1; write their names instead: a, b, c`)

	named := columns
	named.Chosen = "alt"
	got := read(t, "alt,x_alt1,x_alt2,x_alt3\nalt1,1,2,4\nalt2,2,5,3\n", named).Records
	want = read(t, "choice,x_a,x_b,x_c\na,1,2,4\nb,2,5,3\n", columns).Records
	approx.Equal(t, "names that begin with the column's", got.LogLikelihood([]float64{0.3}), want.LogLikelihood([]float64{0.3}), 1e-13)

	some := columns
	some.Where = []recorded.Condition{{Column: "by", Operator: "=", Values: []string{"B"}}}
	got = read(t, "by,choice,x_a,x_b,x_c\nA,0,1,2,4\nB,1,2,5,3\nB,2,1,7,1\n", some).Records
	want = read(t, "choice,x_a,x_b,x_c\n2,2,5,3\n3,1,7,1\n", columns).Records
	approx.Equal(t, "selected", got.LogLikelihood([]float64{0.3}), want.LogLikelihood([]float64{0.3}), 1e-13)
}

// TestSkipMissing: tasks with a missing feature are left out and counted, also if the first row has it.
func TestSkipMissing(t *testing.T) {
	const text = "task,chosen,x,colour\n1,1,,red\n1,0,2,blue\n2,T,1,red\n2,F,3,blue\n3,1,2,NA\n3,0,5,red\n4,0,2,red\n4,1,4,blue\n"
	columns := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x", "colour"}}
	_, err := recorded.ReadLong(strings.NewReader(text), "w.csv", columns)
	wantError(t, err, `w.csv:2: column "x": the value is missing; --skip-missing leaves out the task`)
	columns.SkipMissing = true
	got := read(t, text, columns)
	want := read(t, "task,chosen,x,colour\n2,1,1,red\n2,0,3,blue\n4,0,2,red\n4,1,4,blue\n", columns)
	theta := []float64{0.3, -0.7}
	approx.Equal(t, "log-likelihood", got.Records.LogLikelihood(theta), want.Records.LogLikelihood(theta), 1e-13)
	if got.Tasks != 2 || len(got.Hints) != 1 || got.Hints[0] != "2 of 4 tasks have a missing feature and are left out" {
		t.Errorf("%d tasks, hints %q", got.Tasks, got.Hints)
	}
	_, err = recorded.ReadLong(strings.NewReader("task,chosen,x,colour\n1,1,,red\n1,0,2,blue\n"), "w.csv", columns)
	wantError(t, err, `w.csv: every task has a missing feature or only one available alternative`)
}
