package access

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is the maximum number of characters of a name.
const MaxName = 100

// CheckName returns an error unless the name is valid for a new token. Lists and the audit log show names,
// so a name is one line of text, and must not be a token. The error is for users, and does not contain the name.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("a token needs a name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return errors.New("the name has invisible characters")
	case utf8.RuneCountInString(name) > MaxName:
		return fmt.Errorf("the name has more than %d characters", MaxName)
	case strings.HasPrefix(strings.TrimSpace(name), prefix):
		return errors.New("the name looks like a token")
	}
	return nil
}
