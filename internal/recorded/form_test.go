package recorded_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/recorded"
	"bestpick/internal/testsupport"
)

// TestAvailability: unavailable rows are left out, whatever their values, and so are tasks with one
// alternative.
func TestAvailability(t *testing.T) {
	const text = `task,chosen,x,open
1,1,1,1
1,0,2,1
1,0,NA,0
2,0,3,1
2,1,1,1
3,1,5,1
3,0,,0
`
	form := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}, Available: "open"}
	choices := read(t, text, form)
	// Two tasks are left: 1 over 2, and 1 over 3.
	theta := 0.4
	want := -math.Log1p(math.Exp(theta)) - math.Log1p(math.Exp(2*theta))
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood([]float64{theta}), want, 1e-13)
	if len(choices.Hints) != 1 || !strings.HasPrefix(choices.Hints[0], "1 of 3 tasks have only one available alternative") {
		t.Errorf("hints %q", choices.Hints)
	}
	_, err := recorded.ReadLong(strings.NewReader("task,chosen,x,open\n1,1,1,0\n1,0,2,1\n"), "choices.csv", form)
	wantError(t, err, `choices.csv:2: column "open": the alternative was picked, but is not available`)
	_, err = recorded.ReadLong(strings.NewReader("task,chosen,x,open\n1,0,1,0\n1,0,2,0\n"), "choices.csv", form)
	wantError(t, err, `choices.csv: column "open": no alternative is available`)
}

// TestWeightColumn: the weighted log-likelihood by hand.
func TestWeightColumn(t *testing.T) {
	const text = "task,chosen,x,w\n1,1,1,0.5\n1,0,2,0.5\n2,0,3,2\n2,1,1,2\n"
	form := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}, Weight: "w"}
	theta := 0.4
	want := -0.5*math.Log1p(math.Exp(theta)) - 2*math.Log1p(math.Exp(2*theta))
	choices := read(t, text, form)
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood([]float64{theta}), want, 1e-13)
	approx.Equal(t, "picks", choices.Records.Picks(), 2.5, 0)
	for old, says := range map[string]string{
		"2,0,3,2\n": `choices.csv:5: column "w": the weight of a task must be the same on all its rows; task "2" has 1 and 2`,
		"1,1,1,0.5": `choices.csv:2: column "w": a weight must be positive, got -1; to leave rows out, use --where 'w>0'`,
	} {
		changed := strings.Replace(text, old, map[string]string{"2,0,3,2\n": "2,0,3,1\n", "1,1,1,0.5": "1,1,1,-1"}[old], 1)
		_, err := recorded.ReadLong(strings.NewReader(changed), "choices.csv", form)
		wantError(t, err, says)
	}
}

// TestByAlternative: a column that differs within tasks has a coefficient for every alternative, one that
// never does has none for the base.
func TestByAlternative(t *testing.T) {
	form := smallColumns
	form.Constants, form.AllConstants = nil, true
	form.Base = map[string]string{"alternative": "train"}
	form.Features, form.ByAlternative = []string{"colour"}, []string{"price"}
	if names, want := read(t, small, form).Records.Names(),
		[]string{"bus", "car", "colour=blue", "colour=green", "price:bus", "price:car", "price:train"}; !slices.Equal(names, want) {
		t.Errorf("parameters %v, want %v", names, want)
	}
	const incomes = "task,alternative,chosen,x,sex\n1,a,1,1,f\n1,b,0,2,f\n2,a,0,1,m\n2,b,1,2,m\n2,c,0,3,m\n"
	form = recorded.LongForm{
		Task: "task", Alternative: "alternative", Chosen: "chosen", Features: []string{"x"},
		ByAlternative: []string{"sex"}, Constants: []string{"a", "c"},
	}
	choices := read(t, incomes, form)
	if names, want := choices.Records.Names(), []string{"a", "c", "x", "sex=m:a", "sex=m:c"}; !slices.Equal(names, want) {
		t.Errorf("parameters %v, want %v", names, want)
	}
	theta := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
	first := func(u ...float64) float64 { return u[0] - choice.LogSumExp(u) }
	want := first(.1+.3, .6) + first(.6, .1+.3+.4, .2+.9+.5)
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood(theta), want, 1e-13)
}

// TestConstantsOnly: without unavailable alternatives the log-likelihood is Σ n_i·log(n_i/n).
func TestConstantsOnly(t *testing.T) {
	choices := read(t, longText(), wideForm)
	if !choices.AllConstants {
		t.Error("not all alternatives have a constant")
	}
	estimate, err := new(choice.Estimator).Estimate(choice.NewFree(choices.Alternatives, choices.Labels))
	testsupport.NoError(t, err)
	approx.Equal(t, "log-likelihood", estimate.LogLikelihood, 6*math.Log(1./3), 1e-10) // two picks of each
	form := wideForm
	form.AllConstants, form.ByAlternative = false, nil
	for name, text := range map[string]string{
		"a name twice": strings.Replace(longText(), "bus", "car", 1),
		"no name":      strings.Replace(longText(), "bus", "", 1),
	} {
		if choices := read(t, text, form); choices.Labels != nil {
			t.Errorf("%s: there are labels", name)
		}
	}
}

func TestWhere(t *testing.T) {
	for _, c := range []struct {
		conditions []string
		tasks      int
	}{
		{[]string{"respondent=ann"}, 2},
		{[]string{"respondent=ann|bob"}, 4},
		{[]string{"respondent!=ann|bob"}, 4},
		{[]string{"task=1.0"}, 1},
		{[]string{"task>=7"}, 2},
		{[]string{"task<7", "respondent = cat"}, 2},
	} {
		form := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"price"}}
		for _, text := range c.conditions {
			condition, err := recorded.ParseCondition(text)
			testsupport.NoError(t, err)
			form.Where = append(form.Where, condition)
		}
		if got := read(t, small, form).Records.Tasks(); got != c.tasks {
			t.Errorf("%v: %d tasks, want %d", c.conditions, got, c.tasks)
		}
	}
	form := smallColumns
	form.Where = []recorded.Condition{{Column: "respondent", Operator: "=", Values: []string{"zoe"}}}
	_, err := recorded.ReadLong(strings.NewReader(small), "choices.csv", form)
	wantError(t, err, `choices.csv: no row satisfies respondent=zoe`)
	for text, says := range map[string]string{
		"price":     `"price" must be a column, one of = != < <= > >= and a value`,
		"=3":        `"=3" must be a column`,
		"price<low": `"price<low" must compare with a number, got "low"`,
	} {
		_, err := recorded.ParseCondition(text)
		wantError(t, err, says)
	}
}

// TestNumbersWithUnits: values such as $5 are levels with a hint, and numbers on request.
func TestNumbersWithUnits(t *testing.T) {
	const text = "task,chosen,price\n1,1,$1\n1,0,$2\n2,0,$4\n2,1,$2\n"
	form := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"price"}}
	choices := read(t, text, form)
	if len(choices.Hints) != 1 || choices.Hints[0] != `column "price" is read as 3 levels, because its values have units, such as "$1"; for one coefficient, add --numbers price` {
		t.Errorf("hints %q", choices.Hints)
	}
	form.Numbers = []string{"price"}
	choices = read(t, text, form)
	approx.Equal(t, "log-likelihood", choices.Records.LogLikelihood([]float64{0.5}),
		-math.Log1p(math.Exp(0.5))-math.Log1p(math.Exp(1)), 1e-13)
	if len(choices.Hints) != 0 {
		t.Errorf("hints %q", choices.Hints)
	}
	scenarios, err := choices.Coding.ReadScenarios(strings.NewReader("price\n$3\n$1\n"), "scenario.csv", form)
	if err != nil || scenarios[0].Features[0][0] != 3 || scenarios[0].Features[1][0] != 1 {
		t.Errorf("%v, %v", scenarios, err)
	}
	form.Numbers = []string{"colour"}
	form.Features = []string{"colour"}
	_, err = recorded.ReadLong(strings.NewReader("task,chosen,colour\n1,1,red\n1,0,blue\n"), "choices.csv", form)
	wantError(t, err, `choices.csv: column "colour": "red" is not a number with a unit like the others`)
}

// TestHints: unused columns with telling names and values, and no hint where the values do not agree.
func TestHints(t *testing.T) {
	form := recorded.LongForm{Task: "task", Chosen: "chosen", Features: []string{"x"}}
	const text = "task,chosen,x,available,person_id\n1,1,1,1,p\n1,0,2,0,p\n2,0,3,1,q\n2,1,1,1,q\n3,1,1,1,q\n3,0,2,1,q\n"
	want := []string{
		`column "available" is 0 in 1 rows, which are used like the others; if these alternatives were not on offer, add --available available`,
		`column "person_id" has 2 values in 3 tasks and is not used; if these are respondents, the standard errors are too small: add --respondent person_id`,
	}
	if got := read(t, text, form).Hints; !slices.Equal(got, want) {
		t.Errorf("hints %q", got)
	}
	otherwise := strings.NewReplacer("available", "wifi", "person_id", "shop").Replace(text)
	if got := read(t, otherwise, form).Hints; len(got) > 0 {
		t.Errorf("other names: hints %q", got)
	}
	single := strings.NewReplacer("1,0,2,0,p", "1,0,2,1,p", "3,1,1,1,q\n3,0,2,1,q", "3,1,1,1,r\n3,0,2,1,r").Replace(text)
	if got := read(t, single, form).Hints; len(got) > 0 {
		t.Errorf("all available, one task per person: hints %q", got)
	}
	form.Available, form.Respondent = "available", "person_id"
	if got := read(t, text, form).Hints; len(got) != 1 { // one task is left out
		t.Errorf("hints %q", got)
	}
}

// TestScenarios: levels, constants and coefficients by alternative are those of the model.
func TestScenarios(t *testing.T) {
	form := smallColumns
	form.ByAlternative = []string{"price"}
	form.Features = []string{"colour"}
	choices := read(t, small, form)
	scenarios, err := choices.Coding.ReadScenarios(strings.NewReader("task,alternative,price,colour\nnow,car,2,blue\nnow,bus,3,red\nthen,bus,4,green\nthen,car,5,red\n"), "scenario.csv", form)
	testsupport.NoError(t, err)
	// car, colour=blue, colour=green, price:bus, price:car, price:train
	want := []recorded.Scenario{
		{Name: "now", Alternatives: []string{"car", "bus"}, Features: [][]float64{{1, 1, 0, 0, 2, 0}, {0, 0, 0, 3, 0, 0}}},
		{Name: "then", Alternatives: []string{"bus", "car"}, Features: [][]float64{{0, 0, 1, 4, 0, 0}, {1, 0, 0, 0, 5, 0}}},
	}
	for i, s := range scenarios {
		if s.Name != want[i].Name || !slices.Equal(s.Alternatives, want[i].Alternatives) ||
			!slices.Equal(s.Features[0], want[i].Features[0]) || !slices.Equal(s.Features[1], want[i].Features[1]) {
			t.Errorf("%+v, want %+v", s, want[i])
		}
	}
	for text, says := range map[string]string{
		"alternative,price,colour\ntram,1,red\n": `scenario.csv:2: column "alternative": the model has no alternative "tram"`,
		"alternative,price,colour\ncar,1,pink\n": `scenario.csv:2: column "colour": the model has no level "pink"`,
		"alternative,colour\ncar,red\n":          `column "price": there is no such column`,
	} {
		_, err := choices.Coding.ReadScenarios(strings.NewReader(text), "scenario.csv", form)
		wantError(t, err, says)
	}
	wide := read(t, wideText(func(a, b string) string { return a + "_" + b }, "chosen",
		func(i int) string { return []string{"car", "bus", "rail"}[i] }), wideForm)
	scenarios, err = wide.Coding.ReadScenarios(strings.NewReader("price_car,price_bus,price_rail,size_car,size_bus,size_rail,income\n1,2,3,4,5,6,7\n"), "scenario.csv", wideForm)
	if err != nil || !slices.Equal(scenarios[0].Features[2], []float64{0, 1, 3, 6, 0, 7}) {
		t.Errorf("%v, %v", scenarios, err)
	}
}

// TestAnswers: equal rows are one arm, slots are the order of the file, ranks the order of the
// picks, and a task whose alternatives are alike is left out.
func TestAnswers(t *testing.T) {
	const file = `task,who,rank,x,y
1,ann,2,1,0
1,ann,1,0,1
1,ann,,3,3
2,bob,,-0,1
2,bob,1,1,0
3,bob,1,3,3
3,bob,,3,3
`
	choices, err := recorded.ReadLong(strings.NewReader(file), "file", recorded.LongForm{
		Task: "task", Rank: "rank", Respondent: "who", Features: []string{"x", "y"}, Answers: true,
	})
	testsupport.NoError(t, err)
	want := []choice.Answer{
		{Question: choice.Question{0, 1, 2}, Picks: []int{1, 0}, Respondent: "ann"},
		{Question: choice.Question{1, 0}, Picks: []int{1}, Respondent: "bob"},
	}
	if diff := cmp.Diff(want, choices.Answers.Answers); diff != "" {
		t.Error(diff)
	}
	c := choices.Answers.Catalogue
	if c.Len() != 3 || c.Arm(2)[1] != 3 || c.ID(2) != "alternative 3 (x=3 y=3)" {
		t.Errorf("%d arms, %q %v", c.Len(), c.ID(2), c.Arm(2))
	}
}
