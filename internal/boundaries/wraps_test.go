package boundaries

import (
	"os"
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
		"One sentence.\nAnother one.\n": 0, "One that\ngoes on.\n": 1, "- an item that\n  goes on\n- another\n": 1, "```\nno\nprose\n```\n": 0, "| a |\n| b |\n": 0, "# Title\ntext\n": 0,
	} {
		if got := len(hardWraps(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
