package study

import (
	"crypto/rand"
	"regexp"
	"strings"
)

// NewName returns a random name for a respondent without one. It has 130 random bits, so it cannot
// be guessed.
func NewName() string { return strings.ToLower(rand.Text()) }

var newName = regexp.MustCompile(`^[a-z2-7]{26}$`)

// IsNewName reports whether a name has the form of the names that [NewName] returns.
func IsNewName(name string) bool { return newName.MatchString(name) }
