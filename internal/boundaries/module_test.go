package boundaries

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	_, section, found := strings.Cut(string(text), "\n## Use it as a library\n")
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
