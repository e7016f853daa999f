package boundaries

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestExternalModule: the program of the README's section on the library builds in another module and
// prints the output shown there. The library half needs gonum and nothing else.
func TestExternalModule(t *testing.T) {
	program, output := librarySection(t, "../../README.md")
	m := newModule(t)
	m.write(t, "main.go", program)
	if got := m.run(t, "run", "-mod=mod", "."); got != output {
		t.Errorf("the program prints\n%s\nand the README says\n%s", got, output)
	}
	var file struct {
		Require []struct {
			Path string `json:"Path"`
		} `json:"Require"`
	}
	if err := json.Unmarshal([]byte(m.run(t, "mod", "edit", "-json")), &file); err != nil {
		t.Fatal(err)
	}
	for _, required := range file.Require {
		if required.Path != modulePath && required.Path != "gonum.org/v1/gonum" {
			t.Errorf("the library needs %s", required.Path)
		}
	}
}

// librarySection returns the program and its output from the README.
func librarySection(t *testing.T, path string) (program, output string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n### The Go library\n")
	_, rest, begins := strings.Cut(section, "```go\n")
	program, rest, ends := strings.Cut(rest, "```\n")
	_, rest, prints := strings.Cut(rest, "```\n")
	output, _, closed := strings.Cut(rest, "```\n")
	if !found || !begins || !ends || !prints || !closed {
		t.Fatal("the README has no program that uses the library")
	}
	return program, output
}

// A module is the folder of another module.
type module string

// newModule returns another module, which requires this one.
func newModule(t *testing.T) module {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum")) // go mod tidy would download it
	if err != nil {
		t.Fatal(err)
	}
	m := module(t.TempDir())
	m.write(t, "go.sum", string(sums))
	m.run(t, "mod", "init", "example")
	m.run(t, "mod", "edit", "-require", modulePath+"@v0.0.0", "-replace", modulePath+"="+root)
	return m
}

// write writes a file of the module.
func (m module) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(string(m), name), []byte(text), 0o600); err != nil { //nolint:gosec // in a directory of the test
		t.Fatal(err)
	}
}

// run runs the Go command in the module, without a network, and returns its standard output.
func (m module) run(t *testing.T, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", arguments...) //nolint:gosec // the arguments are ours
	command.Dir = string(m)
	command.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	var errOut strings.Builder
	command.Stderr = &errOut
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", command, err, out, errOut.String())
	}
	return string(out)
}

// TestRename: in a copy of the repository tools/rename.sh renames the module, so that its packages build under the new
// path and no Go file imports the old one.
func TestRename(t *testing.T) {
	const renamed = "example.org/me/bestpick"
	copied := t.TempDir()
	run := func(name string, arguments ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), name, arguments...) //nolint:gosec // the arguments are ours
		command.Dir = copied
		command.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
		return string(out)
	}
	// The files in the working tree; folders without Go files, such as published data, are not needed.
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	run("bash", "-c", `cd "$1" && git ls-files -z --cached --others --exclude-standard |
		while IFS= read -r -d '' name; do test ! -f "$name" || printf '%s\0' "$name"; done |
		tar --null --files-from=- --create | tar --extract --directory "$2"`, "copy", root, copied)
	run("tools/rename.sh", renamed)
	if path := strings.TrimSpace(run("go", "list", "-m")); path != renamed {
		t.Errorf("the module is called %s", path)
	}
	run("go", "build", renamed+"/choice", renamed+"/strategy/...", renamed+"/wire")
	for path := range strings.FieldsSeq(run("go", "list", "-test", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}{{end}}", "./...")) {
		if path == modulePath || strings.HasPrefix(path, modulePath+"/") {
			t.Errorf("a package still imports %s", path)
		}
	}
	text, err := os.ReadFile(filepath.Join(copied, ".golangci.yml"))
	if err != nil || strings.Count(string(text), renamed) != 2 {
		t.Errorf("the linters do not know the new path: %v", err)
	}
}

var (
	link      = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	blocks    = regexp.MustCompile("(?ms)^```.*?^```$")
)

// TestLinks: links between the documents of the repository lead to files and headings that exist. A link whose text is the
// name of a document leads to that document.
func TestLinks(t *testing.T) {
	checked := 0
	for _, path := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(document(t, path), -1) {
			target, anchor, _ := strings.Cut(found[2], "#")
			if strings.Contains(target, ":") {
				continue
			}
			if name := filepath.Base(found[1]); strings.HasSuffix(name, ".md") && name != filepath.Base(target) {
				t.Errorf("%s: the link %s leads to %s", path, found[1], found[2])
			}
			checked++
			file := path
			if target != "" {
				file = filepath.Join(filepath.Dir(path), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s does not exist", path, found[2])
			} else if anchor != "" && filepath.Ext(file) == ".md" && !slugs(document(t, file))[anchor] {
				t.Errorf("%s: %s has no such heading", path, found[2])
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d links were found", checked)
	}
}

// TestLengths: no page of docs has more than 2,000 words outside tables and blocks of code, README at most 120 lines, and a
// change in the changelog at most 160 characters.
func TestLengths(t *testing.T) {
	for _, path := range documents(t) {
		words := 0
		for line := range strings.Lines(document(t, path)) {
			if !strings.HasPrefix(line, "|") {
				words += len(strings.Fields(line))
			}
			if length := utf8.RuneCountInString(strings.TrimSpace(line)); filepath.Base(path) == "CHANGELOG.md" && length > 160 &&
				line[0] == '-' {
				t.Errorf("%s: a change has %d characters: %.60s…", path, length, line)
			}
		}
		if words > 2000 && filepath.Base(path) != "CHANGELOG.md" {
			t.Errorf("%s has %d words", path, words)
		}
	}
	if text, err := os.ReadFile("../../README.md"); err != nil || strings.Count(string(text), "\n") > 120 {
		t.Errorf("README has %d lines, %v", strings.Count(string(text), "\n"), err)
	}
}

// documents returns the paths of the documents of the repository.
func documents(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// document returns the text of a document without its blocks of code.
func document(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return blocks.ReplaceAllString(string(text), "")
}

// slugs returns the anchors of a document's headings, as GitHub makes them.
func slugs(text string) map[string]bool {
	anchors := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		slug := notInSlug.ReplaceAllString(strings.ToLower(found[1]), "")
		anchors[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return anchors
}

var (
	markup = regexp.MustCompile(`^(\||#|<|---|>|[-*] |\d+\. |$)`)
	ended  = regexp.MustCompile(`[.!?:;…][)”"*_\x60\]]*$`)
)

// TestNoHardWraps: documents have no line breaks within sentences.
func TestNoHardWraps(t *testing.T) {
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, broken := range hardWraps(string(text)) {
			t.Errorf("%s: the line %q ends within a sentence", path, broken)
		}
	}
}

// hardWraps returns the lines of a document that end within a sentence.
func hardWraps(text string) (broken []string) {
	code, before := false, "" // the line before, if it is prose
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code, before = !code, ""
			continue
		}
		if code {
			continue
		}
		if before != "" && !markup.MatchString(line) && !ended.MatchString(before) {
			broken = append(broken, before)
		}
		if before = line; line == "" || strings.ContainsAny(line[:1], "|#<") {
			before = ""
		}
	}
	return broken
}

func TestHardWraps(t *testing.T) {
	for text, want := range map[string]int{
		"One sentence.\nAnother one.\n": 0, "One that\ngoes on.\n": 1, "- an item that\n  goes on\n- another\n": 1,
		"```\nno\nprose\n```\n": 0, "| a |\n| b |\n": 0, "# Title\ntext\n": 0,
	} {
		if got := len(hardWraps(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
