package study

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// Limits of settings and texts. [Settings.Check] enforces those of settings; tags in package wire repeat
// them, and a test compares the two.
const (
	MaxShown    = strategy.MaxK // arms in a question
	MaxPicks    = MaxShown - 1
	MinDelta    = 1e-100 // far smaller than answers can show
	MaxDelta    = 0.5
	MaxEpsilon  = racing.MaxEpsilon
	MaxVerify   = racing.MaxVerify
	MaxTop      = racing.MaxPairs - 1 // best arms to certify: fewer than the arms that can be compared in pairs
	MaxSegments = 100
	MaxShare    = 1e9 // of a segment
	MaxBudget   = 1_000_000_000
	MaxEach     = 1_000_000
	MaxPeople   = 10_000 // of the minimum before a certificate
	MaxDays     = 365
	MaxReading  = 3600 // seconds
	MaxRetained = 3650 // days
	MinLease    = time.Second
	MaxLease    = 30 * 24 * time.Hour
	MaxGrace    = 30 * 24 * time.Hour
	NoGrace     = -1        // seconds: an answer is counted at once
	MaxSeed     = 1<<53 - 1 // exact in every JSON reader

	// DefaultLeastPeople is the minimum of people in studies that owners create with the form or the API:
	// a verdict about people should not rest on the first few who come.
	DefaultLeastPeople = 30

	MaxName       = 200  // characters of a study's name
	MaxPrompt     = 2000 // characters of a text for respondents, and of an address
	MaxLanguages  = 50
	MaxColumns    = 10_000 // of cards that are hidden, renamed or have a unit
	MaxUnit       = 50     // characters
	MaxProfile    = 10     // profile questions
	MaxChoices    = 50     // of a profile question
	MaxRespondent = 200    // characters of the name, segment or key of a new respondent
	MaxText       = 1000   // bytes of a stored name: indexes are limited

	MaxUndos         = 10   // of one question
	MaxRationale     = 4000 // characters
	MaxMetadata      = 20   // entries of an answer's metadata
	MaxMetadataBytes = 4000 // of all names and values
)

// CheckText returns an error unless every store can keep a text and find it again.
func CheckText(text string) error {
	switch {
	case len(text) > MaxText:
		return fmt.Errorf("%.20q… is longer than %d bytes", text, MaxText)
	case !IsText(text):
		return fmt.Errorf("%q is not UTF-8 text without zero bytes", text)
	}
	return nil
}

// IsText reports whether every store can keep a text: it is UTF-8 without zero bytes.
func IsText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// NewName returns a random name for a respondent without one. It has 130 random bits, so it cannot be guessed.
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
