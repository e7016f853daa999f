package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bestpick/choice"
	"bestpick/internal/approx"
	"bestpick/internal/fitting"
	"bestpick/internal/testsupport"
)

// published are numbers that the sources of docs/data.md publish, and the command that reproduces each from
// its file. Tolerances are half a unit of the last digit.
var published = []struct {
	name          string
	file          string
	arguments     string
	logLikelihood float64 // to digits
	digits        float64
	estimates     map[string]float64
	decimals      float64
	errors        map[string]float64
	errorDecimals float64
	robust        map[string]float64 // robust or clustered errors
}{
	{
		name: "swissmetro (Biogeme b01a_logit)", file: "swissmetro.csv", arguments: "--features asc_train,asc_car,time,cost",
		logLikelihood: -5331.252006916, digits: 5e-10,
		estimates: map[string]float64{"asc_train": -0.701187, "asc_car": -0.154633, "time": -1.277859, "cost": -1.083790},
		decimals:  1e-5, // as far as Biogeme iterates
		errors:    map[string]float64{"asc_train": .054874, "asc_car": .043235, "time": .056883, "cost": .051830}, errorDecimals: 5e-7,
	},
	{
		name: "swissmetro, constants by name", file: "swissmetro.csv",
		arguments:     "--features time,cost --constants all --base alternative=swissmetro",
		logLikelihood: -5331.252006916, digits: 5e-10,
		estimates: map[string]float64{"train": -0.701187, "car": -0.154633, "time": -1.277859, "cost": -1.083790}, decimals: 1e-5,
		// as far as Biogeme iterates
	},
	{
		name: "electricity (xlogit)", file: "electricity.csv", arguments: "--features pf,cl,loc,wk,tod,seas --respondent respondent",
		logLikelihood: -4958.6491193376, digits: 5e-10 * 10,
		// survival::clogit(… + strata(task) + cluster(respondent), method = "efron")
		// of R's survival 3.5-3, times √(G/(G−1)) with G = 361 respondents.
		errors: map[string]float64{"pf": 0.02322231635558, "cl": 0.00824421534371, "loc": 0.05055712453442}, errorDecimals: 1e-9,
		robust: map[string]float64{
			"pf": 0.0334900587922, "cl": 0.0140167329031, "loc": 0.0788687280404, "wk": 0.0638706932214, "tod": 0.2781549646099,
			"seas": 0.2727164970185,
		},
	},
	{
		name: "heating (R mlogit)", file: "heating.csv", arguments: "--features ic,oc",
		logLikelihood: -1095.2371, digits: 5e-5,
		estimates: map[string]float64{"ic": -0.00623187, "oc": -0.00458008}, decimals: 5e-9,
		errors: map[string]float64{"ic": .00035277, "oc": .00032216}, errorDecimals: 5e-9,
	},
	{
		name: "heating with constants (R mlogit)", file: "heating.csv",
		arguments:     "--features ic,oc --constants all --base alternative=hp",
		logLikelihood: -1008.2287, digits: 5e-5,
		estimates: map[string]float64{
			"gr": 0.30826328, "ec": 1.65884594, "er": 1.85343697, "gc": 1.71097930, "ic": -0.00153315,
			"oc": -0.00699637,
		}, decimals: 5e-7,
	},
	{
		name: "fishing (xlogit)", file: "fishing.csv", arguments: "--features price,catch",
		logLikelihood: -1311.9796171080, digits: 5e-9,
	},
	{
		name: "yogurt (logitr)", file: "yogurt.csv", arguments: "--features price,feat,brand --base brand=dannon",
		logLikelihood: -2656.8878779, digits: 5e-7,
		estimates: map[string]float64{
			"price": -0.3665845, "feat": 0.4914335, "brand=hiland": -3.7156002, "brand=weight": -0.6411843,
			"brand=yoplait": 0.7345712,
		}, decimals: 5e-8,
		errors: map[string]float64{
			"price": .02436607, "feat": .12006301, "brand=hiland": .14541901, "brand=weight": .05449827, "brand=yoplait": .080644,
		}, errorDecimals: 5e-7,
	},
}

// TestPublishedByCommand: one command for each file reproduces the published numbers, from the file in long
// form and from the same choices in wide form, with the choice as a name or as a number.
func TestPublishedByCommand(t *testing.T) {
	for i, p := range published {
		t.Run(p.name, func(t *testing.T) {
			path := testsupport.DataPath(t, p.file)
			arguments := strings.Fields(p.arguments)
			compare := func(what, file string, more ...string) {
				report := fitJSON(t, append(append([]string{file}, arguments...), more...)...)
				approx.Equal(t, what+" log-likelihood", report.LogLikelihood, p.logLikelihood, p.digits)
				compareNumbers(t, what, report, p.estimates, p.decimals, func(f fitting.Parameter) float64 { return f.Estimate })
				compareNumbers(t, what+" error", report, p.errors, p.errorDecimals, func(f fitting.Parameter) float64 { return f.SE })
				compareNumbers(t, what+" robust error", report, p.robust, 1e-9, func(f fitting.Parameter) float64 { return *f.RobustSE })
			}
			compare("long", path)
			compare("wide", wideCopy(t, path, i%2 == 0), "--available", "offered")
		})
	}
}

// compareNumbers compares a number of each parameter with those published.
func compareNumbers(t *testing.T, what string, report fitReport, want map[string]float64, tolerance float64,
	number func(fitting.Parameter) float64,
) {
	t.Helper()
	found := 0
	for _, parameter := range report.Parameters {
		if value, is := want[parameter.Name]; is {
			approx.Equal(t, what+" "+parameter.Name, number(parameter), value, tolerance)
			found++
		}
	}
	if found != len(want) {
		t.Errorf("%s: %d of %d parameters", what, found, len(want))
	}
}

// TestBiogemeRobustErrors: the robust errors of swissmetro are those of Biogeme (b01a_logit), which leave out the factor
// n/(n−1), with n = 6,768 tasks.
func TestBiogemeRobustErrors(t *testing.T) {
	const n = 6768.0
	report := fitJSON(t, testsupport.DataPath(t, "swissmetro.csv"), "--features", "asc_train,asc_car,time,cost",
		"--errors", "robust")
	compareNumbers(t, "robust error", report, map[string]float64{
		"asc_train": 0.082562, "asc_car": 0.058163, "time": 0.104254, "cost": 0.068225,
	}, 5e-7, func(f fitting.Parameter) float64 { return *f.RobustSE / math.Sqrt(n/(n-1)) })
	approx.EqualRelative(t, "equal shares", report.NullLogLikelihood, -6964.662979192, 1e-12)
	if report.Tasks != n {
		t.Errorf("%d tasks", report.Tasks)
	}
}

// TestConstantsOnlyOfHeating: all five systems are on offer in every task, so that the log-likelihood of the
// model with constants only is Σ n_i·log(n_i/n). The picks were counted with
//
//	awk -F, '$3 == 1 { n[$2]++ } END { for (a in n) print a, n[a] }' heating.csv
func TestConstantsOnlyOfHeating(t *testing.T) {
	report := fitJSON(t, testsupport.DataPath(t, "heating.csv"), "--features", "ic,oc", "--constants", "all")
	want := 0.0
	for _, picks := range []float64{84, 129, 50, 64, 573} {
		want += picks * math.Log(picks/900)
	}
	constants := report.Statistics.Constants
	approx.EqualRelative(t, "constants only", constants.LogLikelihood, want, 1e-10)
	approx.Equal(t, "likelihood ratio", constants.Test.Statistic, 2*(report.LogLikelihood-want), 1e-6)
	if constants.Test.DegreesOfFreedom != 2 {
		t.Errorf("%d degrees of freedom", constants.Test.DegreesOfFreedom)
	}
}

// TestPublishedVotes: the strengths that evalica publishes for the votes, with no flag at all.
func TestPublishedVotes(t *testing.T) {
	report := fitJSON(t, testsupport.DataPath(t, "llm-votes.csv"))
	if report.Tasks != 8931 || report.Items != 59 || report.Parameters[0].Name != "GPT 4" {
		t.Errorf("%d votes between %d items, the best is %q", report.Tasks, report.Items, report.Parameters[0].Name)
	}
	var utilities []float64
	for _, p := range report.Parameters {
		utilities = append(utilities, p.Estimate)
	}
	strengths := choice.Probabilities(nil, utilities)
	compareNumbers(t, "strength", report, map[string]float64{
		"GPT 4": 0.04121787368, "Platypus-2 Instruct (70B)": 0.02923317841, "command": 0.02885205644,
	}, 1e-9, func(f fitting.Parameter) float64 { return strengths[slices.Index(utilities, f.Estimate)] })
	if len(report.Hints) != 1 || !strings.Contains(report.Hints[0], "--respondent worker") {
		t.Errorf("hints %q", report.Hints)
	}
}

// wideCopy writes a file of one row for each task, with columns such as price_car and offered_car, and the
// alternative picked by its name, or by its number among the alternatives in order of appearance.
func wideCopy(t *testing.T, path string, byNumber bool) string {
	t.Helper()
	file := testsupport.Value(os.Open(path)).OrFail(t)
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Scan()
	header := strings.Split(scanner.Text(), ",")
	place := map[string]int{}
	for i, name := range header {
		place[name] = i
	}
	var alternatives, tasks []string
	rows := map[string]map[string][]string{} // by task and alternative
	for scanner.Scan() {
		row := strings.Split(scanner.Text(), ",")
		task, alternative := row[place["task"]], row[place["alternative"]]
		if rows[task] == nil {
			rows[task] = map[string][]string{}
			tasks = append(tasks, task)
		}
		if rows[task][alternative] = row; !slices.Contains(alternatives, alternative) {
			alternatives = append(alternatives, alternative)
		}
	}
	var text strings.Builder
	text.WriteString("chosen,respondent")
	var attributes []string
	for _, name := range append(header, "offered") {
		if name != "task" && name != "alternative" && name != "chosen" && name != "respondent" {
			attributes = append(attributes, name)
			for _, alternative := range alternatives {
				fmt.Fprintf(&text, ",%s_%s", name, alternative)
			}
		}
	}
	for _, task := range tasks {
		pick, respondent := "", "1"
		for i, alternative := range alternatives {
			if row := rows[task][alternative]; row != nil && row[place["chosen"]] == "1" {
				if pick = alternative; byNumber {
					pick = strconv.Itoa(i + 1)
				}
				if at, has := place["respondent"]; has {
					respondent = row[at]
				}
			}
		}
		fmt.Fprintf(&text, "\n%s,%s", pick, respondent)
		for _, name := range attributes {
			for _, alternative := range alternatives {
				text.WriteString("," + wideCell(rows[task][alternative], name, place))
			}
		}
	}
	copied := filepath.Join(t.TempDir(), "wide.csv")
	testsupport.NoError(t, os.WriteFile(copied, []byte(text.String()+"\n"), 0o600))
	return copied
}

// wideCell returns the value of an attribute, which is missing if the alternative was not offered.
func wideCell(row []string, attribute string, place map[string]int) string {
	switch {
	case attribute == "offered" && row == nil:
		return "0"
	case attribute == "offered":
		return "1"
	case row == nil:
		return ""
	}
	return row[place[attribute]]
}

// TestPublishedRankings: one command for each file of votes and rankings, as published, gives the estimates and errors of R's
// BradleyTerry2, and the log-likelihood of an exploded logit, to all digits stated. R's glm takes errors from the weights of the
// iteration before the last: after four iterations on baseball they differ by up to 4.2e-7 from those at the maximum.
func TestPublishedRankings(t *testing.T) {
	const half = 5e-8 // of the last digit of an estimate
	compare := func(file string, want map[string][2]float64, halfError float64, arguments ...string) fitReport {
		report := fitJSON(t, append([]string{testsupport.DataPath(t, filepath.Join("votes", file))}, arguments...)...)
		found := 0
		for _, p := range report.Parameters {
			if w, is := want[p.Name]; is {
				approx.Equal(t, file+" "+p.Name, p.Estimate, w[0], half)
				approx.Equal(t, file+" error of "+p.Name, p.SE, w[1], halfError)
				found++
			}
		}
		if found != len(want) {
			t.Errorf("%s: %d of %d parameters", file, found, len(want))
		}
		return report
	}
	compare("baseball.csv", map[string][2]float64{
		"Boston": {1.1438027, .3378422}, "Cleveland": {0.7046945, .3350014}, "Detroit": {1.4753572, .3445518},
		"Milwaukee": {1.6195550, .3473653},
		"New York":  {1.2813404, .3404034}, "Toronto": {1.3271104, .3403222}, "left side": {0.3022607, .1309436},
	}, 5e-7, "--side", "--base", "alternative=Baltimore")
	compare("citations.csv", map[string][2]float64{
		"Comm Statist": {-2.9490725, .10254534}, "JASA": {-0.4795698, .06058873}, "JRSS-B": {0.2689541, .07082997},
	}, 5e-9, "--base", "alternative=Biometrika")
	salad := compare("salad.csv", nil, 0)
	approx.Equal(t, "log-likelihood of salad", salad.LogLikelihood, -76.4153, 5e-5)
	if beans := compare("beans.csv", nil, 0); beans.Tasks != 842 || beans.Items != 10 {
		t.Errorf("%d trials of %d varieties", beans.Tasks, beans.Items)
	}
}

// TestExpressionsOnPublishedData: terms that fit computes give the estimates and errors of the same terms written out as
// columns, in long and in wide form.
func TestExpressionsOnPublishedData(t *testing.T) {
	indicator := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	type row struct {
		a, b        float64
		alternative string
	}
	for _, c := range []struct {
		file, a, b, one, arguments string
		level                      float64 // a value of b
	}{
		{"swissmetro.csv", "time", "cost", "car", "--constants train,car", 0.52},
		{"heating.csv", "ic", "oc", "gr", "--constants all --base alternative=hp", 199.69},
	} {
		terms := []struct {
			expression string
			value      func(r row) float64
		}{
			{fmt.Sprintf("log(%s)", c.a), func(r row) float64 { return math.Log(r.a) }},
			{c.b + "/100", func(r row) float64 { return r.b / 100 }},
			{fmt.Sprintf("%s*%s", c.a, c.b), func(r row) float64 { return r.a * r.b }},
			{c.a + "^2", func(r row) float64 { return r.a * r.a }},
			{fmt.Sprintf("%s>=%v", c.b, c.level), func(r row) float64 { return indicator(r.b >= c.level) }},
			{fmt.Sprintf("%s:%s", c.a, c.one), func(r row) float64 { return r.a * indicator(r.alternative == c.one) }},
			{fmt.Sprintf("%s:%s:%s", c.a, c.b, c.one), func(r row) float64 { return r.a * r.b * indicator(r.alternative == c.one) }},
		}
		path := testsupport.DataPath(t, c.file)
		lines := strings.Split(strings.TrimSpace(string(testsupport.Value(os.ReadFile(path)).OrFail(t))), "\n")
		header := strings.Split(lines[0], ",")
		at := func(name string) int { return slices.Index(header, name) }
		var expressions, columns []string
		for k, term := range terms {
			expressions, columns = append(expressions, term.expression), append(columns, fmt.Sprint("term", k))
		}
		lines[0] += "," + strings.Join(columns, ",")
		for i, line := range lines[1:] {
			cells := strings.Split(line, ",")
			r := row{
				testsupport.Value(strconv.ParseFloat(cells[at(c.a)], 64)).OrFail(t),
				testsupport.Value(strconv.ParseFloat(cells[at(c.b)], 64)).OrFail(t), cells[at("alternative")],
			}
			for _, term := range terms {
				lines[1+i] += "," + strconv.FormatFloat(term.value(r), 'g', -1, 64)
			}
		}
		written := filepath.Join(t.TempDir(), "written.csv")
		testsupport.NoError(t, os.WriteFile(written, []byte(strings.Join(lines, "\n")+"\n"), 0o600)) //nolint:gosec // in a folder of the test
		fit := func(file string, features []string, more ...string) fitReport {
			arguments := append([]string{file, "--features", strings.Join(features, ",")}, strings.Fields(c.arguments)...)
			return fitJSON(t, append(arguments, more...)...)
		}
		want := fit(written, columns)
		for form, got := range map[string]fitReport{
			"long": fit(path, expressions), "wide": fit(wideCopy(t, path, false), expressions, "--available", "offered"),
		} {
			approx.EqualRelative(t, form+" log-likelihood", got.LogLikelihood, want.LogLikelihood, 1e-12)
			for k, p := range got.Parameters {
				approx.EqualRelative(t, form+" "+p.Name, p.Estimate, want.Parameters[k].Estimate, 1e-7)
				approx.EqualRelative(t, form+" error of "+p.Name, p.SE, want.Parameters[k].SE, 1e-7)
			}
			if last := got.Parameters[len(got.Parameters)-1].Name; last != expressions[len(expressions)-1] {
				t.Errorf("the last parameter is %q", last)
			}
		}
	}
}
