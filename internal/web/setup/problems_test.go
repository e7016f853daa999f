package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// TestProblemsAreTranslated: every code of a problem of a file has a message.
func TestProblemsAreTranslated(t *testing.T) {
	code := regexp.MustCompile(`Problemf\("([^"]+)"`)
	found, words := 0, english()
	for _, pattern := range []string{"table/*.go", "answers/*.go", "recorded/*.go", "catalogue/*.go", "catalogue/*/*.go"} {
		files := testsupport.Value(filepath.Glob("../../" + pattern)).OrFail(t)
		for _, path := range files {
			text := testsupport.Value(os.ReadFile(path)).OrFail(t)
			for _, each := range code.FindAllSubmatch(text, -1) {
				if found++; !words.Has("file." + string(each[1])) {
					t.Errorf("%s: the code %s has no message", path, each[1])
				}
			}
		}
	}
	if found == 0 {
		t.Error("no codes were found")
	}
}

// TestProblemText: a problem has its place, the message of its code with its parts, and what avoids it.
func TestProblemText(t *testing.T) {
	problem := table.Problemf("no-number", "%q is not a number", "x").OrAs("ignored")
	got := problemText(english(), &table.Error{Problem: problem, File: "a.csv", Line: 3, Column: "price", More: 2})
	if want := "Line 3, column price: “x” is not a number; or leave the column out (and 2 more)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
