package study

import (
	"crypto/rand"
	"regexp"
	"strings"
)

// NewName returns a random name for a respondent who has none. It has 130 bits, so it cannot be
// guessed.
func NewName() string { return strings.ToLower(rand.Text()) }

var newName = regexp.MustCompile(`^[a-z2-7]{26}$`)

// IsNewName reports whether a name has the form of those of [NewName].
func IsNewName(name string) bool { return newName.MatchString(name) }
