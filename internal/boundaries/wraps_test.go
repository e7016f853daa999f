package boundaries

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	markup = regexp.MustCompile(`^(\||#|<|---|>|[-*] |\d+\. |$)`)
	ended  = regexp.MustCompile(`[.!?:;…][)”"*_\x60\]]*$`)
)

// TestNoHardWraps: documents have no line breaks within sentences.
func TestNoHardWraps(t *testing.T) {
	list := exec.CommandContext(t.Context(), "git", "ls-files", "*.md")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Skipf("not a clone: %v", err)
	}
	for name := range strings.FieldsSeq(string(out)) {
		text, err := os.ReadFile("../../" + name)
		if err != nil || strings.Contains(name, "testdata/") {
			continue // deleted, or data
		}
		for _, broken := range hardWraps(string(text)) {
			t.Errorf("%s: the line %q ends within a sentence", name, broken)
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
		"One sentence.\nAnother one.\n": 0, "One that\ngoes on.\n": 1, "- an item that\n  goes on\n- another\n": 1, "```\nno\nprose\n```\n": 0, "| a |\n| b |\n": 0, "# Title\ntext\n": 0,
	} {
		if got := len(hardWraps(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
