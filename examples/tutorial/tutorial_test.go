// Package tutorial checks the programs of docs/tutorial-go.md.
package tutorial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTutorial: the document contains every program as it is.
func TestTutorial(t *testing.T) {
	document, err := os.ReadFile("../../docs/tutorial-go.md")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob("*_test.go")
	if err != nil || len(programs) == 0 {
		t.Fatal(programs, err)
	}
	for _, name := range programs {
		program, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "tutorial_test.go" && !strings.Contains(string(document), "```go\n"+string(program)+"```") {
			t.Errorf("docs/tutorial-go.md does not contain %s", name)
		}
	}
}
