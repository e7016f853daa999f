package access

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is how many characters a name may have.
const longestName = 100

// CheckName returns an error unless somebody may call a new token like that. A name is shown in lists
// and in the log of what was done, so it is a line of text, and nobody's token.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("access: a token needs a name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return errors.New("access: the name has characters that cannot be seen")
	case utf8.RuneCountInString(name) > longestName:
		return errors.New("access: the name has more than 100 characters")
	case strings.HasPrefix(strings.TrimSpace(name), prefix):
		return errors.New("access: this looks like a token, not like the name of one")
	}
	return nil
}
