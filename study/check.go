package study

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Check returns an error unless every store can keep the outcome: its kind is one of the four,
// its position is not negative, and its texts are UTF-8 without zero bytes.
func (o Outcome) Check() error {
	switch o.Kind {
	case Answered, Skipped, Undone, Lost:
	default:
		return fmt.Errorf("study: question %d: %q is no kind of outcome", o.Position, o.Kind)
	}
	if o.Position < 0 {
		return fmt.Errorf("study: there is no question %d", o.Position)
	}
	for _, text := range []string{o.Respondent, o.Segment} {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("study: question %d: %q is not text", o.Position, text)
		}
	}
	return nil
}
