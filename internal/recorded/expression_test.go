package recorded_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// computed has tasks with two alternatives, car and bus, and columns of all kinds.
const computed = "task,alternative,chosen,x,y,colour,a b,income\n1,car,1,2,4,red,1,5\n1,bus,0,3,1,blue,2,5\n" +
	"2,car,0,1,2,red,0,7\n2,bus,1,4,2,red,1,7\n3,car,0,2,2,blue,2,6\n3,bus,1,1,3,red,0,6\n"

func computedForm(features ...string) recorded.LongForm {
	return recorded.LongForm{Task: "task", Alternative: "alternative", Chosen: "chosen", Features: features}
}

// TestExpressionValues: an expression has the values of the formula for each row. Θ = 1 makes ℓ of the first task
// u_car − log(e^u_car + e^u_bus), so that its score tells the values apart: the picked minus the mean.
func TestExpressionValues(t *testing.T) {
	for text, want := range map[string][2]float64{ // of the two rows of the first task
		"x/100": {0.02, 0.03}, "log(x)": {0.6931471805599453, 1.0986122886681098}, "x*y": {8, 3}, "x:y": {8, 3},
		"x^2": {4, 9}, "x==2": {1, 0}, "x!=2": {0, 1}, "x>=3": {0, 1}, "x < 3": {1, 0}, "income:car": {5, 0},
		"log(x):bus":  {0, 1.0986122886681098},
		"colour==red": {1, 0}, "colour!='red'": {0, 1}, "`a b`*2": {2, 4}, "I(x^2)": {4, 9}, "-x^2+y": {0, -8}, "(x+y)/2 - 1": {2, 1},
		"x-y-1": {-3, 1}, "2^-x": {0.25, 0.125}, "2^x^2": {16, 512}, "1e-1*x": {0.2, 0.3}, "exp(x-x)+sqrt(y)*abs(-x)": {5, 4},
		"x/y/2":   {0.25, 1.5},
		"x:y:bus": {0, 3}, "x==y": {0, 0}, "x*(y>1)": {2, 0},
	} {
		choices, err := recorded.ReadLong(strings.NewReader(computed), "c.csv", computedForm(text))
		testsupport.NoError(t, err)
		if names := choices.Records.Names(); !slices.Equal(names, []string{text}) {
			t.Errorf("%s is called %q", text, names)
		}
		for score := range choices.Records.Scores([]float64{0}, nil) {
			approx.Equal(t, text, score[0], (want[0]-want[1])/2, 1e-12)
			break
		}
	}
}

// TestExpressionErrors name the column, or the place in the expression.
func TestExpressionErrors(t *testing.T) {
	for text, want := range map[string]string{
		"log(z)":                  `c.csv:1: column "z": there is no such column; there are task, alternative, chosen, x, y, colour, a b, income`,
		"log(x":                   `c.csv: column "log(x": there is no such column: expected ) at character 6 of the expression, found the end`,
		"x*":                      `c.csv: column "x*": there is no such column: expected a column, a number or ( at character 3 of the expression, found the end`,
		"x**2":                    `c.csv: column "x**2": there is no such column: expected a column, a number or ( at character 3 of the expression, found '*'`,
		"sin(x)":                  `c.csv: column "sin(x)": there is no such column: expected one of the functions log, exp, sqrt, abs and I at character 1 of the expression, found 's'`,
		"x+y z":                   `c.csv: column "x+y z": there is no such column: expected an operator at character 5 of the expression, found 'z'`,
		"x=1":                     `c.csv: column "x=1": there is no such column: expected an operator at character 2 of the expression, found '='`,
		"`a b":                    "c.csv: column \"`a b\": there is no such column: expected ` at character 5 of the expression, found the end",
		"log(x-2)":                `c.csv:2: column "x": log(0) is not a finite number here`,
		"y/(x-1)":                 `c.csv:4: column "y": 2/0 is not a finite number here`,
		"2*colour":                `c.csv:2: column "colour": "red" is not a number`,
		"colour=='x'+1":           `c.csv:2: column "colour": "red" is not a number`,
		"income:tram":             `c.csv: column "alternative": no row has the alternative "tram"`,
		strings.Repeat("(", 2000): "an expression must have at most 1000 characters",
	} {
		_, err := recorded.ReadLong(strings.NewReader(computed), "c.csv", computedForm(text))
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %s", text, err, want)
		}
	}
	form := computedForm("x/2")
	form.Base = map[string]string{"x/2": "1"}
	if _, err := recorded.ReadLong(strings.NewReader(computed), "c.csv", form); err == nil ||
		!strings.HasSuffix(err.Error(), "an expression is a number, without levels and units") {
		t.Errorf("got %v", err)
	}
}

// TestTermsOfOneAlternative: in wide form, with alternatives whose names are parts of columns; a column by alternative
// has no coefficient for alternatives without it.
func TestTermsOfOneAlternative(t *testing.T) {
	const wide = "choice,time_air,time_car,service_air,age\nair,1,2,3,30\ncar,2,1,2,40\ncar,3,1,1,50\nair,2,2,2,60\n"
	names := func(form recorded.LongForm) []string {
		form.Task, form.Alternative, form.Chosen = "task", "alternative", "choice"
		choices, err := recorded.ReadLong(strings.NewReader(wide), "wide.csv", form)
		testsupport.NoError(t, err)
		if _, err := new(choice.Estimator).Estimate(choices.Records); err != nil {
			if _, separated := errors.AsType[*choice.SeparationError](err); !separated {
				t.Error(err)
			}
		}
		return choices.Records.Names()
	}
	terms := []string{"time*((age>35)+(alternative==air)>0)", "age:air"}
	if got := names(recorded.LongForm{Features: terms}); !slices.Equal(got, terms) {
		t.Errorf("parameters %q", got)
	}
	if got := names(recorded.LongForm{
		ByAlternative: []string{"service", "log(age)"},
		Alternatives:  []string{"air", "car"},
	}); !slices.Equal(got, []string{"service:air", "log(age):car"}) {
		t.Errorf("parameters %q", got)
	}
}

// TestMissingInExpressions: a task that lacks a value of an expression is left out on request, and otherwise an error.
func TestMissingInExpressions(t *testing.T) {
	lacking := strings.Replace(computed, "3,car,0,2,2", "3,car,0,2,", 1)
	form := computedForm("x/y")
	if _, err := recorded.ReadLong(strings.NewReader(lacking), "c.csv", form); err == nil ||
		!strings.HasPrefix(err.Error(), `c.csv:6: column "y": `) {
		t.Errorf("got %v", err)
	}
	form.SkipMissing = true
	choices, err := recorded.ReadLong(strings.NewReader(lacking), "c.csv", form)
	testsupport.NoError(t, err)
	if choices.Tasks != 2 {
		t.Errorf("%d tasks", choices.Tasks)
	}
}

// FuzzExpression: whatever the expression, reading either gives finite features or one line that names the file.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{
		"log(x)", "x/100", "x*y", "x:y", "x^2", "x==1", "income:car", "-x^-y", "`a b`+1e-3", "colour!='red'", "((x", "I(x)<=2", "1:1",
		"''==x", "x^1e309", ":", "é:x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		choices, err := recorded.ReadLong(strings.NewReader(computed), "fuzz.csv", computedForm(text))
		if err != nil {
			checkError(t, err)
			return
		}
		fitWithoutNaN(t, choices.Records)
	})
}
