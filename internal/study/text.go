package study

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"regexp"
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

// NewName returns a random name for a respondent without one. It has 130 random bits, so it cannot
// be guessed.
func NewName() string { return strings.ToLower(rand.Text()) }

var newName = regexp.MustCompile(`^[a-z2-7]{26}$`)

// IsNewName reports whether a name has the form of the names that [NewName] returns.
func IsNewName(name string) bool { return newName.MatchString(name) }

// Key derives a key for one purpose, such as signing. It returns the same key in all processes on
// the store. A key reveals neither other keys nor the store's secret.
func Key(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size)
	if err != nil {
		panic("study: " + err.Error()) // the secret is too short only in FIPS mode
	}
	return key
}
