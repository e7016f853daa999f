package study

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// CheckText returns an error unless every store can keep a text and find it again.
func CheckText(text string) error {
	switch {
	case len(text) > MaxText:
		return fmt.Errorf("%.20q… is longer than %d bytes", text, MaxText)
	case !isStorable(text):
		return fmt.Errorf("%q is not UTF-8 text without zero bytes", text)
	}
	return nil
}

// isStorable reports whether every store can keep a text.
func isStorable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
