package endtoend

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bestpick/internal/testsupport"
)

// TestTranscripts runs the commands of the documents. A block of commands starts with one of
//
//	```sh          the commands succeed; if the next block is ```text, they print that
//	```sh serve    each command is a server, which starts and stops
//	```sh long     as sh, in make test-long
//	```python      as sh, if the next block is ```text, or if it uses a server: such blocks of a document continue each other
//	```csv         the file replies.csv
//	```sh no-run   the commands need programs or machines that tests do not have (see elsewhere)
//
// In a block of text, … stands for any characters, and a line … for any lines.
// The blocks of a document run in one folder that has the examples and the published data, and they share
// exported variables. Documents that mention $SERVER have a new server, and TOKEN is its owner's token.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	runTranscripts(t, "sh", "sh serve", "python", "csv")
}

func runTranscripts(t *testing.T, kinds ...string) {
	t.Helper()
	root := testsupport.Value(filepath.Abs("../..")).OrFail(t)
	documents := []string{filepath.Join(root, "README.md")}
	for _, pattern := range []string{"docs/*.md", "clients/*/README.md", "examples/README.md"} {
		found := testsupport.Value(filepath.Glob(filepath.Join(root, pattern))).OrFail(t)
		documents = append(documents, found...)
	}
	for _, path := range documents {
		name := testsupport.Value(filepath.Rel(root, path)).OrFail(t)
		blocks := commandBlocks(t, name, string(contents(t, path)))
		if !hasKind(blocks, kinds) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shell := newShell(t, root, blocks)
			for _, b := range blocks {
				if slices.Contains(kinds, b.kind) {
					shell.run(t, b)
				}
			}
		})
	}
}

// A block is a block of commands in a document, and what they print; output is empty if the document
// does not show it.
type block struct {
	line                   int
	kind, commands, output string
}

func hasKind(blocks []block, kinds []string) bool {
	return slices.ContainsFunc(blocks, func(b block) bool { return slices.Contains(kinds, b.kind) })
}

// elsewhere matches commands that tests do not run. They need root, containers, a cluster, or packages and
// files of other projects, they do not end, or they run tests.
var elsewhere = regexp.MustCompile(`\b(sudo|docker|kubectl|sbatch|make|pip|npm|HOST|ADDRESS|git clone|queue\.example|10\.0\.0|8080|bestpick_…|go test|completion|pprof|python3 examples|Heating|Fishing|ModeCanada|swissmetro\.dat)|STUDY\b|--demo`)

var fence = regexp.MustCompile("(?ms)^```([^\n`]*)\n(.*?)^```$")

// commandBlocks returns the blocks of commands of a document.
func commandBlocks(t *testing.T, name, text string) []block {
	t.Helper()
	var blocks []block
	for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
		kind, body := text[at[2]:at[3]], text[at[4]:at[5]]
		line := 1 + strings.Count(text[:at[0]], "\n")
		switch kind {
		case "sh", "sh serve", "sh long", "sh no-run", "python", "csv":
			if kind == "sh no-run" && !elsewhere.MatchString(body) {
				t.Errorf("%s:%d: tests can run these commands", name, line)
			}
			blocks = append(blocks, block{line: line, kind: kind, commands: body})
		case "text":
			if len(blocks) == 0 || blocks[len(blocks)-1].output != "" {
				t.Errorf("%s:%d: no command prints this text", name, line)
				continue
			}
			blocks[len(blocks)-1].output = body
		default:
			if strings.HasPrefix(kind, "sh") || kind == "console" || kind == "bash" {
				t.Errorf("%s:%d: a block of commands has an unknown kind %q", name, line, kind)
			}
		}
	}
	return slices.DeleteFunc(blocks, func(b block) bool {
		return b.kind == "python" && b.output == "" && !served.MatchString(b.commands)
	})
}

// served matches Python programs that use a server.
var served = regexp.MustCompile(`(?m)^client(\.| = )`)

// published matches the names of data files that are not part of the repository.
var published = regexp.MustCompile(`\b(camera|electricity)\.csv\b`)

// A shell runs blocks of one document.
type shell struct {
	folder      string
	environment []string
}

// newShell returns a shell in a new folder with the examples and the published data, with a server if the
// blocks mention it.
func newShell(t *testing.T, root string, blocks []block) shell {
	t.Helper()
	s := shell{folder: t.TempDir()}
	links := []string{filepath.Join(root, "examples"), filepath.Join(root, "clients"), filepath.Join(root, "deploy")}
	data := testsupport.Value(filepath.Glob(filepath.Join(root, "..", "shared", "data", "*.*"))).OrFail(t)
	for _, path := range append(links, data...) {
		testsupport.NoError(t, os.Symlink(path, filepath.Join(s.folder, filepath.Base(path))))
	}
	s.environment = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"), "HOME="+s.folder,
		"BESTPICK_LISTEN=127.0.0.1:0", "NO_COLOR=1", "TERM=dumb", "PYTHONPATH="+filepath.Join(root, "clients", "python"))
	for _, b := range blocks {
		if strings.Contains(b.commands, "$SERVER") || b.kind == "python" && served.MatchString(b.commands) {
			server := start(t, sqliteFile(t), "")
			s.environment = append(s.environment, "SERVER="+server.URL, "TOKEN="+server.Token, "BESTPICK_TOKEN="+server.Token)
			break
		}
	}
	return s
}

// run runs a block, and compares its output with that of the document.
func (s shell) run(t *testing.T, b block) {
	t.Helper()
	commands := strings.ReplaceAll(b.commands, "go run ./cmd/bestpick", "bestpick")
	if data := published.FindString(commands); data != "" {
		testsupport.DataPath(t, data)
	}
	if b.kind == "sh serve" {
		for command := range strings.Lines(commands) {
			s.serve(t, b, command)
		}
		return
	}
	script := "curl() { command curl -sS --fail-with-body \"$@\"; }\nif [ -e .exported ]; then . ./.exported; fi\n" + commands +
		"\nexport -p > .exported"
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script) //nolint:gosec // commands of our documents
	switch {
	case b.kind == "csv":
		testsupport.NoError(t, os.WriteFile(filepath.Join(s.folder, "replies.csv"), []byte(commands), 0o600))
		return
	case b.kind == "python" && served.MatchString(commands):
		before, _ := os.ReadFile(filepath.Join(s.folder, ".python")) // none before the first block
		commands = string(before) + strings.ReplaceAll(commands, `"http://127.0.0.1:8080"`, `os.environ["SERVER"]`) + "\n"
		kept := filepath.Join(s.folder, ".python")
		testsupport.NoError(t, os.WriteFile(kept, []byte(commands), 0o600)) //nolint:gosec // a file of the test
		commands = "import os\ntoken = os.environ['TOKEN']\n" + commands
		fallthrough
	case b.kind == "python":
		command = exec.CommandContext(t.Context(), "python3", "-c", commands) //nolint:gosec // commands of our documents
	}
	command.Dir, command.Env = s.folder, s.environment
	var errOut bytes.Buffer
	command.Stderr = &errOut
	out, err := command.Output()
	if err != nil {
		t.Errorf("line %d: %v\n%s%s", b.line, err, commands, errOut.Bytes())
		return
	}
	if b.output != "" && !matches(b.output, string(out)) {
		t.Errorf("line %d: the commands print\n%s\nand the document says\n%s", b.line, out, b.output)
	}
}

// serve starts a server, and stops it.
func (s shell) serve(t *testing.T, b block, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", "exec "+line) //nolint:gosec // commands of our documents
	command.Dir, command.Env = s.folder, s.environment
	out, errOut := &testsupport.Log{}, &testsupport.Log{}
	command.Stdout, command.Stderr = out, errOut
	testsupport.NoError(t, command.Start())
	for !strings.Contains(out.String(), "Listening on ") && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Errorf("line %d: %s: %v\n%s", b.line, line, err, out)
	}
	_ = command.Wait() // Ctrl-C has its own exit status
	if !strings.Contains(out.String(), "Listening on ") {
		t.Errorf("line %d: %s does not start:\n%s%s", b.line, line, out, errOut)
	}
	if b.output != "" && !matches(b.output, out.String()) {
		t.Errorf("line %d: the server prints\n%s\nand the document says\n%s", b.line, out, b.output)
	}
}

// matches reports whether output is the text of a document, in which … stands for any characters of a
// line, and a line … for any lines.
func matches(document, output string) bool {
	pattern := regexp.QuoteMeta(strings.TrimRight(trailingBlanks.ReplaceAllString(document, ""), "\n"))
	pattern = regexp.MustCompile(`(?m)^ *…$`).ReplaceAllString(pattern, `(?s:.*)`)
	pattern = strings.ReplaceAll(pattern, "…", ".*")
	return regexp.MustCompile(`^` + pattern + `\n*$`).MatchString(trailingBlanks.ReplaceAllString(output, ""))
}

var trailingBlanks = regexp.MustCompile(`(?m)[ \t]+$`)

// TestMatches checks the comparison of TestTranscripts.
func TestMatches(t *testing.T) {
	for _, test := range []struct {
		document, output string
		want             bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\nb\n", "a \nb", true},
		{"a\nb\n", "a\nc\n", false},
		{"a\n", "a\nb\n", false},
		{"a … c\n", "a bb c\n", true},
		{"a … c\n", "a b\nb c\n", false},
		{"a\n…\nd\n", "a\nb\nc\nd\n", true},
		{"a\n…\n", "b\n", false},
		{"1.5\n", "1x5\n", false},
	} {
		if got := matches(test.document, test.output); got != test.want {
			t.Errorf("matches(%q, %q) = %t", test.document, test.output, got)
		}
	}
}
