package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/access"
	"bestpick/internal/approx"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/testsupport"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bestpick": main})
}

// TestScripts runs the transcripts in testdata/script: commands as a person types
// them and what must come back.
func TestScripts(t *testing.T) {
	examples := testsupport.Value(filepath.Abs("../../examples")).OrFail(t)
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus, "lamps": lamps},
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return nil
		},
	})
}

// wantStatus is the script command "status N COMMAND…": it runs a command, which
// must exit with status N.
func wantStatus(ts *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) < 2 {
		ts.Fatalf("usage: status N command")
	}
	err := ts.Exec(arguments[1], arguments[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != arguments[0] {
		ts.Fatalf("exit status %d, want %s", got, arguments[0])
	}
}

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

// TestBuild: the commit and its time come from the build information of the binary.
func TestBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "0123abcd"},
		{Key: "vcs.time", Value: "2026-11-16T07:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}}
	got := newBuild(info)
	want := build{Version: command.Release, Commit: "0123abcd", Time: "2026-11-16T07:00:00Z", Modified: true, Go: "go1.26.8"}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for name, c := range map[string]struct {
		build build
		want  string
	}{
		"modified": {got, "bestpick " + command.Release + "\ncommit   0123abcd, modified\ngo       go1.26.8\n"},
		"clean": {
			build{Version: "1.2.3", Commit: "0123abcd", Go: "go1.26.8"},
			"bestpick 1.2.3\ncommit   0123abcd\ngo       go1.26.8\n",
		},
		"unknown": {build{Version: "1.2.3", Go: "go1.26.8"}, "bestpick 1.2.3\ncommit   unknown\ngo       go1.26.8\n"},
	} {
		if text := c.build.text(); text != c.want {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestVersionJSON(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := run([]string{"version", "--json"}, strings.NewReader(""), &out, &errOut); status != command.ExitOK {
		t.Fatal(errOut.String())
	}
	var b build
	testsupport.NoError(t, json.Unmarshal(out.Bytes(), &b))
	if b.Version != command.Release || b.Go != runtime.Version() {
		t.Errorf("%+v", b)
	}
}

// TestPublicURL: --public-url must be the address of a server.
func TestPublicURL(t *testing.T) {
	for text, valid := range map[string]bool{
		"": true, "https://studies.example.com": true, "http://10.0.0.1:8080/": true,
		"studies.example.com": false, "ftp://example.com": false, "https://": false, "https://example.com/a": false,
		"https://example.com?a=b": false,
	} {
		if _, err := parsePublic(text); (err == nil) != valid {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 200, 10 << 20: 200, 16 << 20: 120, 32 << 20: 60, 100 << 20: 20, 200 << 20: 10,
		4 << 30: 10,
	} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d MB: got %d%%, want %d%%", live>>20, got, want)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	for live, want := range map[uint64]uint64{0: 64, 20: 96, 175: 240, 256: 320, 1024: 1280} {
		if got := memoryLimit(live<<20) >> 20; got != want {
			t.Errorf("%d MB: got %d MB, want %d MB", live, got, want)
		}
	}
}

// TestBoundGarbage: the percentage follows the live heap, up and down, over many collections.
func TestBoundGarbage(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetGCPercent(maxGarbagePercent)
	defer debug.SetGCPercent(before)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	boundGarbage()
	percent := func() int { now := debug.SetGCPercent(maxGarbagePercent); debug.SetGCPercent(now); return now }
	follows := func(low bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); (percent() < 50) != low; time.Sleep(time.Millisecond) {
			if runtime.GC(); time.Now().After(deadline) {
				t.Fatalf("the percentage is %d", percent())
			}
		}
	}
	large := make([]byte, 200<<20)
	follows(true)
	runtime.KeepAlive(large) // from here on the collector may free it
	follows(false)
}

// TestExitStatuses: docs/cli.md has the exit statuses of the program, and each error has its own.
func TestExitStatuses(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	testsupport.NoError(t, err)
	for _, status := range command.ExitStatuses() {
		if row := fmt.Sprintf("| %d | %s |\n", status.Code, status.Meaning); !strings.Contains(string(text), row) {
			t.Errorf("docs/cli.md lacks the row %q", row)
		}
	}
	failure := errors.New("it failed")
	for _, c := range []struct {
		want int
		err  error
	}{
		{command.ExitOK, nil},
		{command.ExitFailure, failure},
		{command.ExitUsage, fmt.Errorf("in a file: %w", command.Invalid(failure))},
		{command.ExitInterrupted, command.Interrupted(failure)},
		{command.ExitInterrupted, fmt.Errorf("the backup failed: %w", context.Canceled)},
	} {
		var out bytes.Buffer
		if got := command.Report(&out, c.err); got != c.want || (c.err != nil) != (out.Len() > 0) {
			t.Errorf("%v: got status %d and %q, want %d", c.err, got, out.String(), c.want)
		}
	}
}

// TestCommandsAreListed: docs/cli.md has every command.
func TestCommandsAreListed(t *testing.T) {
	text := testsupport.Value(os.ReadFile("../../docs/cli.md")).OrFail(t)
	var out, errOut bytes.Buffer
	if status := run([]string{"complete", "--", ""}, strings.NewReader(""), &out, &errOut); status != command.ExitOK ||
		out.Len() == 0 {
		t.Fatalf("status %d: %s", status, errOut.String())
	}
	for command := range strings.FieldsSeq(out.String()) {
		if !strings.Contains(string(text), "| `"+command+"` |") {
			t.Errorf("docs/cli.md lacks %s", command)
		}
	}
}

// TestPlaceholders: the help of every command shows what the value of a flag is, and not its type in Go.
func TestPlaceholders(t *testing.T) {
	var commands bytes.Buffer
	if status := run([]string{"complete", "--", ""}, strings.NewReader(""), &commands, &commands); status != command.ExitOK {
		t.Fatal(commands.String())
	}
	for name := range strings.FieldsSeq(commands.String()) {
		var out bytes.Buffer
		if status := run([]string{name, "--help"}, strings.NewReader(""), &out, &out); status != command.ExitOK {
			t.Fatalf("%s: %s", name, out.String())
		}
		for _, kind := range []string{"=STRING", "=FLOAT-64", "=INT", "=UINT-64", "=KEY=VALUE"} {
			if strings.Contains(out.String(), kind) {
				t.Errorf("the help of %s has %s:\n%s", name, kind, out.String())
			}
		}
	}
}

// TestFlagValues: errors in the values of flags name the flag, what was expected, what was found, and the help of the
// command.
func TestFlagValues(t *testing.T) {
	for arguments, want := range map[string]string{
		"simulate --runs x":         `--runs: expected a whole number from 1 to 1000000, found "x" (run 'bestpick simulate --help' for usage)`,
		"simulate --runs 1.5":       `--runs: expected a whole number from 1 to 1000000, found "1.5" (`,
		"simulate --runs":           `--runs: expected a whole number, found nothing (`,
		"simulate --k 1":            `--k: expected a whole number from 2 to 1000, found "1" (`,
		"simulate --seed -1":        `--seed: expected a whole number of at least 0, found "-1" (`,
		"simulate --norm inf":       `--norm: expected a number, found "inf" (`,
		"simulate --delta nan":      `--delta: expected a number above 0 and below 1, found "nan" (`,
		"simulate --fallback 1":     `--fallback: expected a number of at least 0 and below 1, found "1" (`,
		"simulate --kappa 0":        `--kappa: expected a number above 0, found "0" (`,
		"simulate --out --quiet":    `--out: expected a value, found "--quiet" (`,
		"simulate --max-questions=": `--max-questions: expected a whole number of at least 0, found "" (`,
		"serve --drain -3s":         `--drain: expected a duration such as 30s, found "-3s" (run 'bestpick serve --help' for usage)`,
		"serve --drain=-3s":         `--drain: expected a duration such as 30s, found "-3s" (`,
		"catalogue x --as price":    `--as: expected COLUMN=KIND, found "price" (`,
		"catalogue x --as":          `--as: expected COLUMN=KIND, found nothing (`,
		"fit x --base a=b,c":        `--base: expected COLUMN=LEVEL, found "c" (`,
		"token add a --role":        `--role: expected a value, found nothing (run 'bestpick token add --help' for usage)`,
	} {
		var out, errOut bytes.Buffer
		status := run(strings.Fields(arguments), strings.NewReader(""), &out, &errOut)
		if status != command.ExitUsage || !strings.HasPrefix(errOut.String(), "bestpick: "+want) ||
			strings.Count(errOut.String(), "\n") != 1 {
			t.Errorf("%s: exit status %d, %s", arguments, status, errOut.String())
		}
	}
}

// TestNegativeValues: a negative number can follow its flag after a space.
func TestNegativeValues(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := run(strings.Fields("simulate --shift -0.1 --runs 1 --max-questions 5 --quiet"), strings.NewReader(""), &out,
		&errOut); status != command.ExitOK || !strings.Contains(out.String(), "shift -0.1") {
		t.Errorf("exit status %d, %s%s", status, out.String(), errOut.String())
	}
}

// TestAskLines: without a terminal it asks in lines, and what is in the file does not steer the terminal.
func TestAskLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arms.csv")
	text := "id,label,price\na,\"red \x1b[31m\",1\nb,green,2\nc,blue,3\n"
	testsupport.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	var out, errs bytes.Buffer
	ask := func(lines string, arguments ...string) int {
		return run(append([]string{"ask"}, arguments...), strings.NewReader(lines), &out, &errs)
	}
	if status := ask("1\nx\n9\n2\nu\nq\n", file, "--k", "2"); status != command.ExitOK {
		t.Errorf("status %d, %s", status, errs.String())
	}
	said := out.String()
	if strings.Contains(said, "\x1b") || !strings.Contains(said, `red \x1b[31m`) ||
		!strings.Contains(said, "leads after 1 answer;") || !strings.Contains(said, "--anew") {
		t.Error(said)
	}
	for _, arguments := range [][]string{{file, "--k", "4"}, {file + ".none"}, {file, "--k", "3"}} {
		errs.Reset()
		if status := ask("", arguments...); status != command.ExitUsage || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v: status %d, %s", arguments, status, errs.String())
		}
	}
	if status := ask("q\n", file, "--k", "3", "--anew"); status != command.ExitOK {
		t.Errorf("anew: status %d, %s", status, errs.String())
	}
}

// TestToken: what is done at the command line goes for servers on the database, and leaves entries without tokens.
func TestToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	store := testsupport.Value(sqlite.Open(path)).OrFail(t)
	defer store.Close()
	token := func(words ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		words = append([]string{"token"}, append(words, "--database", path)...)
		if status := run(words, strings.NewReader(""), &out, &errOut); status != 0 {
			t.Fatalf("exit status %d: %s", status, errOut.String())
		}
		return strings.TrimSpace(out.String())
	}
	secret := token("add", "Zoë", "--role", "owner")
	if got, err := store.Token(t.Context(), access.Hash(secret)); err != nil || got.Name != "Zoë" || got.Role != access.Owner {
		t.Errorf("the token is one of %q (%s), %v", got.Name, got.Role, err)
	}
	token("add", "anna", "--role", "viewer")
	token("list")
	token("revoke", "anna")
	entries := testsupport.Value(store.Entries(t.Context(), math.MaxInt64, 9)).OrFail(t)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%q %s %s", e.By, e.Operation, e.Detail))
	}
	const want = `"" revoke-token "anna"; "" create-token "anna", viewer; "" create-token "Zoë", owner`
	if strings.Join(got, "; ") != want {
		t.Errorf("the entries are %v, want %s", got, want)
	}
}
