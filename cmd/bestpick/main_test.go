package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
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
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/serve"
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

// TestNoStudyMetrics: the flag reaches the server.
func TestNoStudyMetrics(t *testing.T) {
	for _, none := range []bool{false, true} {
		c := serveCommand{NoStudyMetrics: none}
		if o, err := c.options(); err != nil || o.NoStudyMetrics != none {
			t.Errorf("%v, want %v: %v", o.NoStudyMetrics, none, err)
		}
	}
}

func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 800, 8 << 20: 800, 16 << 20: 400, 32 << 20: 200, 100 << 20: 60, 640 << 20: 10,
		4 << 30: 10,
	} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d MB: got %d%%, want %d%%", live>>20, got, want)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	for live, want := range map[uint64]uint64{0: 96, 20: 128, 175: 272, 256: 352, 1024: 1280} {
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
	var out strings.Builder
	command.Report(&out, errors.New("damaged: \x1b[2J\xff\x00\nagain"))
	if want := "bestpick: damaged: \\x1b[2J\ufffd\\x00\nbestpick: again\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestMistakes: every mistake on the command line gets one line on standard error that names the flag, argument or file,
// the status of invalid arguments (2) or of a failure (1), and leaves no file behind.
func TestMistakes(t *testing.T) {
	arms, theta := "--arms examples/arms.csv ", "--theta examples/theta.csv "
	mistakes := []struct {
		status          int
		arguments, want string
	}{
		{2, "nonsense", `unexpected argument nonsense (run 'bestpick --help' for usage)`},
		{2, "simulat", `did you mean "simulate"?`},
		{2, "simulate --run 5", `unknown flag --run, did you mean "--runs"? (run`},
		{2, "simulate --xyz", `unknown flag --xyz (run`},
		{2, "simulate --runs x", `--runs: expected a whole number from 1 to 1000000, found "x"`},
		{2, "simulate --runs 0", `--runs: expected a whole number from 1`},
		{2, "simulate --runs", "--runs: expected a whole number"},
		{2, "simulate --delta 2", `--delta: expected a number above 0 and below 1, found "2"`},
		{2, "simulate --delta 0", "--delta: expected a number above 0"},
		{2, "simulate --delta NaN", "--delta: expected a number above 0"},
		{2, "simulate --k 1", "--k: expected a whole number from 2"},
		{2, "simulate " + arms + theta + "--k 99", "--k must be at most the number of arms, 8, got 99"},
		{2, "simulate --strategy racng", `--strategy: expected one of`},
		{2, "simulate --crowd peple", `--crowd`},
		{2, "simulate --instance sphre", `--instance: expected one of soare, sphere, found "sphre"`},
		{2, "simulate --arms nope.csv " + theta, "nope.csv: no such file or directory"},
		{2, "simulate " + arms, "--arms and --theta go together"},
		{2, "simulate " + theta, "--arms and --theta go together"},
		{2, "simulate --arms empty.csv " + theta, "empty.csv: the file is empty"},
		{2, "simulate " + arms + "--theta empty.csv", "empty.csv: the file is empty"},
		{2, "simulate " + arms + "--theta examples/arms.csv", `examples/arms.csv:1: column "id": the arms have no such feature`},
		{2, "simulate --epsilon -1", "--epsilon: expected a number from 0"},
		{2, "simulate --assume majorty", `--assume: expected one of linear, majority, found "majorty"`},
		{2, "simulate --picks 5", "--picks: 5 of the arms shown cannot be ranked"},
		{2, "simulate --workers -1", "--workers: expected a whole number of at least 0"},
		{2, "simulate --seed abc", "--seed: expected a whole number of at least 0"},
		{2, "simulate --budget -3", "--budget: expected a whole number of at least 0"},
		{2, "simulate --shard 3/2", `--shard`},
		{2, "simulate extra", "unexpected argument extra"},
		{2, "fit", `expected "<file>" (run 'bestpick fit --help' for usage)`},
		{2, "fit nope.csv", "nope.csv: no such file or directory"},
		{2, "fit empty.csv", "empty.csv: the file is empty"},
		{2, "fit binary.csv", "binary.csv: the file is not text"},
		{2, "fit choices.csv", "choices.csv: choices need --features or --constants"},
		{2, "fit examples", "examples: is a directory"},
		{2, "fit choices.csv --features price", `choices.csv:1: column "price": there is no such column; there are task, chosen`},
		{2, "fit choices.csv --chosen x", "choices.csv: at least two columns"},
		{2, "fit choices.csv --ridge -1", "--ridge: expected a number from 0"},
		{2, "fit choices.csv --classes 0", "--classes"},
		{2, "fit choices.csv --classes many", "--classes"},
		{2, "fit choices.csv --format xyz", "unknown flag --format"},
		{2, "fit choices.csv --features log(", `choices.csv: column "log("`},
		{2, "fit choices.csv choices.csv", "unexpected argument choices.csv"},
		{2, "catalogue", `expected "<file>"`},
		{2, "catalogue nope.csv", "nope.csv: no such file or directory"},
		{2, "catalogue twice.csv", `twice.csv:4: column "id": "b" is the id in line 3 already`},
		{2, "catalogue empty.csv", "empty.csv: the file is empty"},
		{2, "catalogue examples/arms.csv --kind price=colour", "unknown flag --kind (run"},
		{2, "catalogue examples/arms.csv --as price=colour", "colour"},
		{2, "catalogue examples/arms.csv --as price", `--as: expected`},
		{2, "catalogue examples/arms.csv --id nope", `examples/arms.csv:1: column "nope": there is no such column`},
		{1, "catalogue examples/arms.csv --out nowhere/x.npz", "nowhere/x.npz: no such file or directory"},
		{2, "catalogue examples/arms.csv --k 0", "--k: expected a whole number of at least 2"},
		{2, "bounds --delta 7", "--delta: expected a number above 0"},
		{2, "bounds --instance nope", "--instance: expected one of"},
		{2, "serve --listen 80a", `--listen: expected an address and a port such as 127.0.0.1:8080, found "80a"`},
		{2, "serve --listen 127.0.0.1:0 --pprof 0.0.0.0:6060", "--pprof: expected a loopback address"},
		{2, "serve --listen 127.0.0.1:0 --pprof :6060", "--pprof: expected a loopback address"},
		{2, "serve --listen 127.0.0.1:99999", "--listen: expected an address and a port"},
		{1, "serve --listen 127.0.0.1:0 --database nowhere/x.db", "nowhere/x.db: no such file or directory"},
		{1, "serve --listen 127.0.0.1:0 --database mysql://x", `the database must be a file or an address such as postgres://`},
		{1, "serve --listen 127.0.0.1:0 --database examples/arms.csv", "examples/arms.csv: file is not a database"},
		{2, "serve --tls-cert x", "--tls-cert and --tls-key go together"},
		{2, "serve --trust 300.0.0.0/8", `--trust must be an address, or a range such as 10.0.0.0/8, got "300.0.0.0/8"`},
		{2, "serve --listen 127.0.0.1:0 --frame https://a.com/path", `must be like https://example.com, got "https://a.com/path"`},
		{2, "serve --listen 127.0.0.1:0 --allow-origin a.com", `must be * or like https://example.com, got "a.com"`},
		{2, "serve --public-url ftp://x", `--public-url must be an address such as https://studies.example.com, got "ftp://x"`},
		{2, "serve --listen 127.0.0.1:0 --prefix nope", `the prefix must begin with a slash`},
		{2, "serve --rate -1", "--rate: expected a number of at least 0"},
		{2, "serve --drain soon", `--drain: expected a duration such as 30s, found "soon"`},
		{2, "serve --log xml", `--log: expected one of text, json, found "xml"`},
		{2, "serve --db-connections 3", "--db-connections is for PostgreSQL"},
		{2, "token", `expected one of "add", "list", "revoke"`},
		{2, "token add", "missing flags: --role=ROLE"},
		{2, "token add --role king", `--role: expected one of owner, viewer, found "king"`},
		{2, "token list --database nope.db", "nope.db: no such file; name the database with --database"},
		{2, "token revoke", `expected "<name>"`},
		{2, "token revoke x --database nope.db", "nope.db: no such file"},
		{2, "backup", "missing flags: --out=FILE"},
		{2, "backup --database nope.db out.db", "unexpected argument out.db"},
		{2, "restore", "missing flags: --database=FILE"},
		{2, "move", "missing flags: --from=DATABASE, --to=DATABASE"},
		{2, "move abc --from nope.db --to x.db", "nope.db: no such file; name the database with --from"},
		{2, "verify", `expected "<file>"`},
		{2, "verify nope.json", "nope.json: no such file or directory"},
		{2, "watch", `expected "<url>"`},
		{2, "watch abc", "abc is not an address such as http://127.0.0.1:8080/studies/ID"},
		{2, "watch http://127.0.0.1:1/studies/abc", "--token is required"},
		{1, "watch http://127.0.0.1:1/studies/abc --token x", "127.0.0.1:1"},
		{2, "ask", `expected "<file>"`},
		{2, "ask nope.csv", "nope.csv: no such file or directory"},
		{2, "reproduce fig9", "<exhibit>: expected one of all, figure1a"},
		{2, "worker", "missing flags: --database=URL"},
		{2, "completion tcsh", `expected one of bash, zsh, fish, powershell, found "tcsh"`},
		{2, "man", `expected "<folder>"`},
		{2, "help nope", `there is no command "nope"`},
		{2, "healthcheck --listen x", "--listen: expected an address and a port"},
		{1, "healthcheck --listen 127.0.0.1:1", "127.0.0.1:1"},
	}
	folder := t.TempDir()
	testsupport.NoError(t, os.CopyFS(filepath.Join(folder, "examples"), os.DirFS("../../examples")))
	for name, text := range map[string]string{
		"empty.csv": "", "binary.csv": "\x00\x01\x02", "choices.csv": "task,chosen\n1,1\n", "twice.csv": "id,price\na,1\nb,x\nb,3\n",
	} {
		testsupport.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	t.Chdir(folder)
	before := testsupport.Value(os.ReadDir(".")).OrFail(t)
	for _, m := range mistakes {
		var out, errOut bytes.Buffer
		status := run(strings.Fields(m.arguments), strings.NewReader(""), &out, &errOut)
		text, line := strings.CutPrefix(errOut.String(), "bestpick: ")
		if status != m.status || !line || !strings.Contains(text, m.want) || strings.Count(text, "\n") != 1 || out.Len() > 0 {
			t.Errorf("bestpick %s\ngot status %d, %q and %q\nwant status %d and %q", m.arguments, status, errOut.String(), out.String(),
				m.status, m.want)
		}
	}
	if after := testsupport.Value(os.ReadDir(".")).OrFail(t); len(after) != len(before) {
		t.Errorf("files are left behind: %v", after)
	}
	if len(mistakes) < 80 {
		t.Errorf("%d mistakes, want at least 80", len(mistakes))
	}
}

// TestHealthcheck: a server is healthy if it is ready.
func TestHealthcheck(t *testing.T) {
	for ready, want := range map[int]int{http.StatusOK: command.ExitOK, http.StatusServiceUnavailable: command.ExitFailure} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/picks/readyz" {
				ready = http.StatusNotFound
			}
			w.WriteHeader(ready)
		}))
		_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
		for _, host := range []string{"", "0.0.0.0", "127.0.0.1"} {
			var out bytes.Buffer
			arguments := []string{"healthcheck", "--prefix", "/picks", "--listen", host + ":" + port}
			if status := run(arguments, strings.NewReader(""), &out, &out); status != want {
				t.Errorf("%q and %d: got status %d, %s", host, ready, status, out.String())
			}
		}
		server.Close()
	}
}

// TestProfiles: profiles are at their own loopback address, and not at that of the server. Connections are limited.
func TestProfiles(t *testing.T) {
	s, err := newServer(t.Context(), serverOptions{
		Options: serve.Options{Log: slog.New(slog.DiscardHandler)}, Listen: "127.0.0.1:0", Pprof: "127.0.0.1:0", Connections: 256,
		Database: filepath.Join(t.TempDir(), "studies.db"),
	})
	testsupport.NoError(t, err)
	if s.http.ConnState == nil {
		t.Error("connections are not limited")
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	for address, want := range map[string]int{
		"http://" + s.profiles.Addr().String(): http.StatusOK, s.URL(): http.StatusNotFound,
	} {
		reply, err := http.Get(address + "/debug/pprof/heap") //nolint:noctx // the server is ours
		testsupport.NoError(t, err)
		if _ = reply.Body.Close(); reply.StatusCode != want {
			t.Errorf("%s: %s, want %d", address, reply.Status, want)
		}
	}
	stop()
	testsupport.NoError(t, testsupport.Receive(t, "the end", done))
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
		got = append(got, fmt.Sprintf("%.12s %s %s", e.By, e.Operation, e.Detail))
	}
	const want = `command line revoke-token "anna"; command line create-token "anna", viewer; command line create-token "Zoë", owner`
	if strings.Join(got, "; ") != want {
		t.Errorf("the entries are %v, want %s", got, want)
	}
}

// TestAuditOfCommands: tokens, backups, restored backups and moved studies are in the audit log, with the system's user.
func TestAuditOfCommands(t *testing.T) {
	folder := t.TempDir()
	database, backup, other, again := filepath.Join(folder, "a.db"), filepath.Join(folder, "b.db"), filepath.Join(folder, "c.db"),
		filepath.Join(folder, "d.db")
	testsupport.NoError(t, keepLamps(t.Context(), database, study.Paused))
	for _, arguments := range [][]string{
		{"token", "add", "Zoë", "--role", "owner", "--database", database},
		{"backup", "--database", database, "--out", backup},
		{"restore", backup, "--database", again, "--keep-tokens"},
		{"move", "lamps", "--from", database, "--to", other, "--delete"},
	} {
		var failed strings.Builder
		if status := run(arguments, strings.NewReader(""), io.Discard, &failed); status != 0 {
			t.Fatalf("%v: %d, %s", arguments, status, failed.String())
		}
	}
	for path, want := range map[string]string{
		database: "create-token \"Zoë\", owner\nback-up to " + backup + "\nmove-study lamps to " + other,
		other:    "move-study lamps from " + database,
		again:    "create-token \"Zoë\", owner\nrestore of " + backup + ", revives 1 token",
	} {
		store := testsupport.Value(sqlite.Open(path)).OrFail(t)
		entries := testsupport.Value(store.Entries(t.Context(), math.MaxInt64, 100)).OrFail(t)
		testsupport.NoError(t, store.Close())
		var got []string
		for _, e := range entries {
			got = append([]string{strings.Join(strings.Fields(e.Operation+" "+e.Study+" "+e.Detail), " ")}, got...)
			if !strings.HasPrefix(e.By, "command line") {
				t.Errorf("%s is by %q", e.Operation, e.By)
			}
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s has\n%s\nwant\n%s", path, strings.Join(got, "\n"), want)
		}
	}
}
