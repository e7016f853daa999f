package study

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Check returns an error unless every store can keep the outcome: its kind is one of the five,
// its position fits that, and its texts are UTF-8 without zero bytes.
func (o Outcome) Check() error {
	switch o.Kind {
	case Answered, Skipped, Undone, Lost:
		if o.Position < 0 {
			return fmt.Errorf("study: there is no question %d", o.Position)
		}
	case Imported:
		if o.Position != Elsewhere {
			return fmt.Errorf("study: question %d: an imported answer is to a question asked elsewhere", o.Position)
		}
	default:
		return fmt.Errorf("study: question %d: %q is no kind of outcome", o.Position, o.Kind)
	}
	for _, text := range []string{o.Respondent, o.Segment} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("study: question %d: %q is not text", o.Position, text)
		}
	}
	return nil
}
