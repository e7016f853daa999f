package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"bestpick/internal/approx"
	"bestpick/internal/testsupport"
)

// fitJSON runs bestpick fit --json in this process.
func fitJSON(t *testing.T, arguments ...string) fitReport {
	t.Helper()
	var out, errOut bytes.Buffer
	if status := run(append([]string{"fit", "--json"}, arguments...), strings.NewReader(""), &out, &errOut); status != 0 {
		t.Fatalf("exit status %d: %s", status, errOut.String())
	}
	var report fitReport
	decoder := json.NewDecoder(&out)
	decoder.DisallowUnknownFields()
	testsupport.NoError(t, decoder.Decode(&report))
	if decoder.More() || errOut.Len() > 0 {
		t.Errorf("more than one document: %q, and on standard error %q", out.String(), errOut.String())
	}
	return report
}

// TestFitJSON: bestpick fit --json reports the estimates that logitr publishes for the yogurt data.
func TestFitJSON(t *testing.T) {
	report := fitJSON(t, testsupport.DataPath(t, "yogurt.csv"), "--features", "price,feat,brand", "--base", "brand=dannon")
	approx.EqualRelative(t, "log-likelihood", report.LogLikelihood, -2656.8878779, 2e-11)
	if report.Tasks != 2412 || !report.Converged || len(report.Parameters) != 5 {
		t.Errorf("%+v", report)
	}
	p := report.Parameters[2]
	if p.Name != "brand=hiland" {
		t.Errorf("third parameter %q", p.Name)
	}
	approx.Equal(t, "estimate", p.Estimate, -3.7156002, 5e-8)
	approx.Equal(t, "se", p.SE, .14541901, 5e-9)
	approx.Equal(t, "z", p.Z, -3.7156002/.14541901, 1e-6)

	clustered := fitJSON(t, testsupport.DataPath(t, "yogurt.csv"), "--features", "price,feat,brand", "--base", "brand=dannon",
		"--respondent", "respondent")
	if clustered.Respondents != 100 {
		t.Errorf("%d respondents", clustered.Respondents)
	}
	for k, p := range clustered.Parameters {
		if *p.RobustSE == *report.Parameters[k].RobustSE {
			t.Errorf("%s: clustering changed nothing", p.Name)
		}
		approx.Equal(t, "z of "+p.Name, p.Z, p.Estimate / *p.RobustSE, 1e-12)
	}
}

// TestFitExamples: the example files were simulated with known utilities; the
// estimates are within four of their errors (a chance of 6e-5 each to be outside).
func TestFitExamples(t *testing.T) {
	report := fitJSON(t, "../../examples/mugs.csv", "--features", "price,litres,leakproof,colour", "--base", "colour=steel",
		"--respondent", "respondent")
	truth := map[string]float64{"price": -0.25, "litres": 4, "leakproof": 0.8, "colour=black": 0.4, "colour=red": -0.6}
	for _, p := range report.Parameters {
		approx.Equal(t, p.Name, p.Estimate, truth[p.Name], 4*p.SE)
	}
	votes := fitJSON(t, "../../examples/headlines.csv", "--left", "left", "--right", "right", "--winner", "winner")
	if first, last := votes.Parameters[0].Name, votes.Parameters[5].Name; first != "Coffee that waits for you" ||
		last != "Mugs, mugs, mugs" {
		t.Errorf("from %q to %q", first, last)
	}
}

func TestFitStandardInput(t *testing.T) {
	text := testsupport.Value(os.ReadFile("../../examples/mugs.csv")).OrFail(t)
	var out, errOut bytes.Buffer
	arguments := []string{"fit", "-", "--features", "price,litres", "--respondent", "respondent"}
	if status := run(arguments, bytes.NewReader(text), &out, &errOut); status != 0 || !strings.Contains(out.String(), "480 tasks") {
		t.Errorf("exit status %d: %s%s", status, out.String(), errOut.String())
	}
	if status := run(arguments, strings.NewReader("task\n"), &out, &errOut); status != 2 ||
		!strings.Contains(errOut.String(), "standard input:1:") {
		t.Errorf("exit status %d: %s", status, errOut.String())
	}
}
