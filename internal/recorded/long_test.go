package recorded_test

import (
	"bytes"
	"compress/gzip"
	"math"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

const small = `task,respondent,alternative,chosen,price,colour
1,ann,bus,1,2,red
1,ann,car,0,5,blue
1,ann,train,0,3,green
2,ann,bus,0,4,blue
2,ann,car,1,1,red
3,bob,car,0,2,green
3,bob,train,1,2.5,red
3,bob,bus,0,3,blue
4,bob,train,0,1,green
4,bob,bus,1,6,green
5,cat,bus,0,1,red
5,cat,car,1,4,blue
6,cat,bus,1,3,blue
6,cat,train,0,2,red
7,cat,car,1,3,green
7,cat,bus,0,1,red
8,dan,train,1,3,blue
8,dan,car,0,2.5,green
`

var smallColumns = recorded.LongForm{
	Task: "task", Alternative: "alternative", Chosen: "chosen",
	Features: []string{"price", "colour"}, Constants: []string{"car"},
}

// read fails the test on any error.
func read(t *testing.T, text string, columns recorded.LongForm) *recorded.Choices {
	t.Helper()
	choices, err := recorded.ReadLong(strings.NewReader(text), "choices.csv", columns)
	testsupport.NoError(t, err)
	return choices
}

// evaluate returns the log-likelihood at some θ, which two readings of the same
// choices share, and the names of the parameters.
func evaluate(choices *recorded.Choices) (float64, []string) {
	names := choices.Records.Names()
	theta := make([]float64, len(names))
	for k, name := range names { // by name, so that an order of columns does not matter
		for _, c := range name {
			theta[k] += math.Sin(float64(c))
		}
	}
	return choices.Records.LogLikelihood(theta), names
}

func TestReadLongNamesParameters(t *testing.T) {
	_, names := evaluate(read(t, small, smallColumns))
	if want := []string{"car", "price", "colour=blue", "colour=green"}; !slices.Equal(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
	columns := smallColumns
	columns.Features = []string{"colour", "price"}
	columns.Base = map[string]string{"colour": "green"}
	_, names = evaluate(read(t, small, columns))
	if want := []string{"car", "colour=red", "colour=blue", "price"}; !slices.Equal(names, want) {
		t.Errorf("names %v, want %v", names, want)
	}
}

// TestReadLongByHand: one task read by hand. Utilities of bus, car, train at
// θ = (car 1, price −1, blue 0.5, green 2) are −2, 1−5+0.5 and −3+2.
func TestReadLongByHand(t *testing.T) {
	text := strings.Join(strings.SplitAfter(small, "\n")[:4], "")
	choices := read(t, text, smallColumns)
	want := -2 - choice.LogSumExp([]float64{-2, -3.5, -1})
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood([]float64{1, -1, 0.5, 2}), want, 1e-14)
}

// TestReadLongForms: the same choices in other forms.
func TestReadLongForms(t *testing.T) {
	columns := smallColumns
	columns.Base = map[string]string{"colour": "red"}
	want, _ := evaluate(read(t, small, columns))
	lines := strings.Split(strings.TrimSpace(small), "\n")
	scattered := slices.Clone(lines)
	slices.SortStableFunc(scattered[1:], func(a, b string) int { return strings.Compare(a[8:], b[8:]) })
	for name, text := range map[string]string{
		"scattered rows": strings.Join(scattered, "\n"),
		"true and false": strings.NewReplacer("bus,1", "bus,TRUE", "car,1", "car,yes", "train,0", "train,no", "bus,0",
			"bus,False").Replace(small),
		"scientific": strings.ReplaceAll(small, ",2.5,", ",2.5e0,"),
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := evaluate(read(t, text, columns))
			approx.Equal(t, "log-likelihood", got, want, 1e-12)
		})
	}
}

// TestReadLongTasksPerRespondent: task numbers that start anew for each respondent
// are different tasks once the respondent is known.
func TestReadLongTasksPerRespondent(t *testing.T) {
	anew := strings.NewReplacer("3,bob", "1,bob", "4,bob", "2,bob", "5,cat", "1,cat", "6,cat", "2,cat", "7,cat", "3,cat", "8,dan",
		"1,dan").Replace(small)
	columns := smallColumns
	columns.Respondent = "respondent"
	choices := read(t, anew, columns)
	got, _ := evaluate(choices)
	want, _ := evaluate(read(t, small, smallColumns))
	approx.Equal(t, "log-likelihood", got, want, 1e-12)
	if wantWho := []int{0, 0, 1, 1, 2, 2, 2, 3}; !slices.Equal(choices.Respondents, wantWho) || choices.RespondentCount != 4 {
		t.Errorf("respondents %v of %d", choices.Respondents, choices.RespondentCount)
	}
	_, err := recorded.ReadLong(strings.NewReader(anew), "choices.csv", smallColumns)
	if err == nil || !strings.Contains(err.Error(), "name the respondent's column") {
		t.Errorf("without the respondent: %v", err)
	}
}

func TestReadLongRankings(t *testing.T) {
	const ranked = `task,rank,x
1,2,1
1,1,2
1,,3
1,3,4
2,1,5
2,2,6
`
	columns := recorded.LongForm{Task: "task", Rank: "rank", Features: []string{"x"}}
	choices := read(t, ranked, columns)
	// Task 1 is 2 before 1 before 4 before 3; task 2 is 5 before 6.
	theta := 0.7
	want := 0.0
	for _, left := range [][]float64{{2, 1, 4, 3}, {1, 4, 3}, {4, 3}, {5, 6}} {
		u := make([]float64, len(left))
		for i, x := range left {
			u[i] = theta * x
		}
		want += u[0] - choice.LogSumExp(u)
	}
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood([]float64{theta}), want, 1e-13)
	approx.Equal(t, "picks", choices.Records.Picks(), 4, 0)
}

func TestReadLongRefusals(t *testing.T) {
	onlyX := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}}
	ranked := recorded.LongForm{Task: "task", Rank: "rank", Features: []string{"x"}}
	gz := func(text string, keep float64) string {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		return packed.String()[:int(keep*float64(packed.Len()))]
	}
	change := func(old, with string) string {
		if !strings.Contains(small, old) {
			t.Fatalf("the example has no %q", old)
		}
		return strings.Replace(small, old, with, 1)
	}
	with := func(f func(*recorded.LongForm)) recorded.LongForm {
		columns := smallColumns
		f(&columns)
		return columns
	}
	for _, c := range []struct {
		name    string
		text    string
		columns recorded.LongForm
		says    string
	}{
		{
			"missing column", small, with(func(c *recorded.LongForm) { c.Features = []string{"cost"} }),
			`choices.csv:1: column "cost": there is no such column; there are task, respondent, alternative, chosen, price, colour`,
		},
		{
			"two columns of a name", strings.Replace(small, "respondent", "price", 1), smallColumns,
			`choices.csv:1: column "price": there are two columns of that name`,
		},
		{
			"text for a number", change("2,ann,car,1,1,red", "2,ann,car,1,cheap,red"), smallColumns,
			`choices.csv:6: column "price": "cheap" is not a number`,
		},
		{
			"number for text", change("4,bob,bus,1,6,green", "4,bob,bus,1,6,7"), smallColumns,
			`choices.csv:11: column "colour": "7" is a number, but line 2 has text; give the column a base level to read it all as text`,
		},
		{
			"decimal comma first", "task;chosen;x\n1;1;3,5\n1;0;4,5\n", onlyX,
			`choices.csv:2: column "x": "3,5" is not a number; decimals take a point`,
		},
		{"infinite first", "task,chosen,x\n1,1,inf\n1,0,1\n", onlyX, `choices.csv:2: column "x": "inf" is not a finite number`},
		{"missing first", "task,chosen,x\n1,1,NA\n1,0,1\n", onlyX, `choices.csv:2: column "x": the value is missing ("NA")`},
		{
			"blank lines above", "\n\ntask,chosen\n1,1\n", onlyX,
			`choices.csv:3: column "x": there is no such column; there are task, chosen`,
		},
		{
			"NaN", change("1,ann,car,0,5,blue", "1,ann,car,0,NaN,blue"), smallColumns,
			`choices.csv:3: column "price": the value is missing ("NaN")`,
		},
		{
			"empty number", change("1,ann,car,0,5,blue", "1,ann,car,0,,blue"), smallColumns,
			`choices.csv:3: column "price": the value is missing`,
		},
		{
			"empty level", change("1,ann,car,0,5,blue", "1,ann,car,0,5,"), smallColumns,
			`choices.csv:3: column "colour": the value is missing`,
		},
		{
			"none chosen", change("2,ann,car,1,1,red", "2,ann,car,0,1,red"), smallColumns,
			`choices.csv:5: column "chosen": task "2" has no chosen alternative`,
		},
		{
			"two chosen", change("2,ann,bus,0,4,blue", "2,ann,bus,1,4,blue"),
			with(func(c *recorded.LongForm) { c.Respondent = "respondent" }),
			`choices.csv:6: column "chosen": task "2" of respondent "ann" has two chosen alternatives`,
		},
		{
			"one alternative", change("4,bob,bus,1,6,green", "9,bob,bus,1,6,green"), smallColumns,
			`choices.csv:10: column "task": task "4" has only one alternative`,
		},
		{
			"chosen is odd", change("2,ann,car,1,1,red", "2,ann,car,2,1,red"), smallColumns,
			`choices.csv:6: column "chosen": "2" is neither 1 (chosen) nor 0`,
		},
		{
			"empty task", change("2,ann,car,1,1,red", ",ann,car,1,1,red"), smallColumns,
			`choices.csv:6: column "task": the value is missing`,
		},
		{
			"unknown constant", small, with(func(c *recorded.LongForm) { c.Constants = []string{"tram"} }),
			`choices.csv: column "alternative": no row has the alternative "tram"`,
		},
		{
			"unknown base", small, with(func(c *recorded.LongForm) { c.Base = map[string]string{"colour": "pink"} }),
			`choices.csv: column "colour": no row has the base level "pink"`,
		},
		{
			"one level", strings.NewReplacer("blue", "red", "green", "red").Replace(small), smallColumns,
			`choices.csv: column "colour": every row has the same text "red"`,
		},
		{
			"a name twice", strings.Replace(small, "price", "colour=blue", 1),
			with(func(c *recorded.LongForm) { c.Features = []string{"colour", "colour=blue"} }),
			`choices.csv: two parameters would be called "colour=blue"`,
		},
		{"truncated gzip", gz(strings.Repeat(small, 1), 0.7), smallColumns, `the compressed data end too early`},
		{"damaged gzip", gz(small, 1)[:60] + "xxxx" + gz(small, 1)[64:], smallColumns, `the compressed data are damaged`},
		{
			"rank gap", "task,rank,x\n1,1,1\n1,3,2\n1,,3\n", ranked,
			`choices.csv:3: column "rank": task "1" skips a rank`,
		},
		{
			"rank too high", "task,rank,x\n1,1,1\n1,5,2\n", ranked,
			`choices.csv:3: column "rank": task "1" skips a rank`,
		},
		{
			"no first rank", "task,rank,x\n1,2,1\n1,,2\n", ranked,
			`choices.csv:2: column "rank": task "1" skips a rank`,
		},
		{
			"many tied ranks", "task,rank,x\n" + strings.Repeat("1,1,1\n", 7) + "1,2,1\n1,,1\n", ranked,
			`choices.csv:2: column "rank": task "1" has more than 6 alternatives of the same rank, other than the last`,
		},
		{
			"too far apart", "task,rank,x\n1,,-1e308\n1,1,1e308\n", ranked,
			`choices.csv:2: task "1" has features that are not finite, or too far apart`,
		},
		{
			"nothing ranked", "task,rank,x\n1,,1\n1,,2\n", ranked,
			`choices.csv:2: column "rank": task "1" has no pick`,
		},
		{
			"not a rank", "task,rank,x\n1,1.5,1\n1,,2\n", ranked,
			`choices.csv:2: column "rank": "1.5" is not a rank: 1, 2, 3, … or empty`,
		},
		{
			"an id as feature", manyLevels(),
			recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"name"}},
			`choices.csv:502: column "name": the column has more than 500 different texts; is it an attribute?`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			choices, err := recorded.ReadLong(strings.NewReader(c.text), "choices.csv", c.columns)
			if err == nil || choices != nil {
				t.Fatalf("accepted; want %s", c.says)
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got  %s\nwant %s", err, c.says)
			}
		})
	}
}

func manyLevels() string {
	var text strings.Builder
	text.WriteString("task,chosen,name\n")
	for i := range 1000 {
		text.WriteString("1,0,name" + strings.Repeat("x", i%10) + strings.Repeat("y", i/10%10) + strings.Repeat("z", i/100) + "\n")
	}
	return text.String()
}
