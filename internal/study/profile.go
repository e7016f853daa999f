package study

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A ProfileQuestion asks respondents about themselves. The answer may limit who takes part, and may be the respondent's
// segment; otherwise it has no effect on the result.
type ProfileQuestion struct {
	Name    string          `json:"name"`              // of the column in exports
	Text    string          `json:"text"`              // what respondents read
	Choices []ProfileChoice `json:"choices,omitempty"` // none if the answer is a number
	After   bool            `json:"after,omitempty"`   // asked after the last question instead of before the first
	Segment bool            `json:"segment,omitempty"` // the answer is the respondent's segment
	Least   *float64        `json:"least,omitempty"`   // of a number; nil for no limit
	Most    *float64        `json:"most,omitempty"`
}

// A ProfileChoice is a possible answer to a profile question.
type ProfileChoice struct {
	Text     string `json:"text"`
	Quota    int    `json:"quota,omitempty"`    // the largest number of respondents with this answer; 0 for no limit
	Excluded bool   `json:"excluded,omitempty"` // respondents with this answer are not eligible
}

// A Profile is what a respondent has said about themselves.
type Profile struct {
	Respondent string
	Answers    map[string]string // by the name of the question
	Consent    string            // the text that they have agreed to; empty without one
	Agreed     time.Time         // when
}

// A Group counts the respondents who gave one answer to a profile question with choices.
type Group struct {
	Question, Answer string
	Answered         int // they have answered a question of the study, and keep their place
	Reserved         int // they have an open hand and no answer yet
	Quota            int // the most places; 0 for no limit, and in results of a store
}

// Kept is the end of a place that a respondent keeps.
var Kept = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

// Grouped reports whether respondents need a place in a group: a question before the first has choices.
func (s Study) Grouped() bool {
	return slices.ContainsFunc(s.Profile, func(q ProfileQuestion) bool { return !q.After && len(q.Choices) > 0 })
}

// ProfileDecides reports whether a profile question asks for the segment of a respondent.
func (s Study) ProfileDecides() bool {
	return slices.ContainsFunc(s.Profile, func(q ProfileQuestion) bool { return q.Segment })
}

// Admit returns ErrConsent if the study asks for consent that the profile does not have, ErrProfile unless it answers all
// questions before the first, and ErrIneligible if an answer excludes the respondent.
func (s Study) Admit(p Profile) error {
	questions := s.ProfileQuestions(false)
	if s.Page.Asks() && p.Consent == "" {
		return ErrConsent
	}
	if len(p.Missing(questions)) > 0 {
		return ErrProfile
	}
	for _, q := range questions {
		if slices.ContainsFunc(q.Choices, func(c ProfileChoice) bool { return c.Excluded && c.Text == p.Answers[q.Name] }) {
			return ErrIneligible
		}
	}
	return nil
}

// Quota returns the quota of an answer, 0 for none.
func (q ProfileQuestion) Quota(answer string) int {
	for _, c := range q.Choices {
		if c.Text == answer {
			return c.Quota
		}
	}
	return 0
}

// Read returns an answer in the form in which it is stored, or an error.
func (q ProfileQuestion) Read(answer string) (string, error) {
	answer = strings.TrimSpace(answer)
	if len(q.Choices) > 0 {
		if !slices.ContainsFunc(q.Choices, func(c ProfileChoice) bool { return c.Text == answer }) {
			return "", Invalid("answers."+q.Name, "must be one of the choices")
		}
		return answer, nil
	}
	x, err := strconv.ParseFloat(strings.Replace(answer, ",", ".", 1), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return "", Invalid("answers."+q.Name, "must be a number")
	}
	if q.Least != nil && x < *q.Least || q.Most != nil && x > *q.Most {
		return "", Invalid("answers."+q.Name, fmt.Sprintf("must be within the limits of the question, got %g", x))
	}
	return strconv.FormatFloat(x, 'g', -1, 64), nil
}

// ProfileQuestions returns the profile questions before the first question, or after the last.
func (s Study) ProfileQuestions(after bool) (asked []ProfileQuestion) {
	for _, q := range s.Profile {
		if q.After == after {
			asked = append(asked, q)
		}
	}
	return asked
}

// Missing returns the questions that a profile does not answer.
func (p Profile) Missing(questions []ProfileQuestion) (missing []ProfileQuestion) {
	for _, q := range questions {
		if _, answered := p.Answers[q.Name]; !answered {
			missing = append(missing, q)
		}
	}
	return missing
}

// CheckProfile returns an error unless the profile questions of the study are valid.
func (s Study) CheckProfile() error {
	if len(s.Profile) > MaxProfile {
		return Invalid("profile", fmt.Sprintf("at most %d questions are possible, got %d", MaxProfile, len(s.Profile)))
	}
	for i, q := range s.Profile {
		if slices.ContainsFunc(s.Profile[:i], func(other ProfileQuestion) bool { return other.Name == q.Name }) {
			return Invalid("profile", fmt.Sprintf("two questions have the name %.20q", q.Name))
		}
		if err := q.check(s.Settings); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error unless a question is valid in a study with some settings.
func (q ProfileQuestion) check(s Settings) error {
	for _, text := range []string{q.Name, q.Text} {
		if text == "" || utf8.RuneCountInString(text) > MaxName || !IsText(text) {
			return q.refuse("name and text must be UTF-8 with 1 to %d characters and no zero bytes", MaxName)
		}
	}
	if len(q.Choices) == 1 || len(q.Choices) > MaxChoices {
		return q.refuse("2 to %d choices are possible, or none for a number, got %d", MaxChoices, len(q.Choices))
	}
	for i := range q.Choices {
		if err := q.checkChoice(i, s); err != nil {
			return err
		}
	}
	if (q.Least != nil || q.Most != nil) && len(q.Choices) > 0 || q.Least != nil && q.Most != nil && *q.Least > *q.Most {
		return q.refuse("only a number can have a least and a most, and least must not exceed most")
	}
	if q.Segment && (q.After || len(q.Choices) == 0) {
		return q.refuse("only a choice before the first question can be the segment")
	}
	return nil
}

// checkChoice returns an error unless a choice is valid, and differs from those before it.
func (q ProfileQuestion) checkChoice(i int, s Settings) error {
	c := q.Choices[i]
	switch {
	case c.Text == "" || c.Text != strings.TrimSpace(c.Text) || utf8.RuneCountInString(c.Text) > MaxName || !IsText(c.Text):
		return q.refuse("a choice must be UTF-8 with 1 to %d characters, no spaces around it and no zero bytes", MaxName)
	case slices.ContainsFunc(q.Choices[:i], func(other ProfileChoice) bool { return other.Text == c.Text }):
		return q.refuse("the choice %.20q occurs twice", c.Text)
	case c.Quota < 0 || c.Quota > MaxBudget:
		return q.refuse("a quota must be 0 to %d, got %d", MaxBudget, c.Quota)
	case (c.Quota > 0 || c.Excluded) && q.After:
		return q.refuse("only questions before the first question can have quotas or exclude respondents")
	case c.Quota > 0 && c.Excluded:
		return q.refuse("the choice %.20q cannot have a quota, because it excludes respondents", c.Text)
	case q.Segment && s.Strategy.Model.CheckSegment(c.Text) != nil:
		return q.refuse("the choice %.20q is not a segment of the study", c.Text)
	}
	return nil
}

// refuse returns the error of an invalid question.
func (q ProfileQuestion) refuse(why string, values ...any) error {
	return Invalid("profile", fmt.Sprintf("question %.20q: ", q.Name)+fmt.Sprintf(why, values...))
}

// A Member is a respondent in a study's panel. If a study has a panel, only members may answer.
type Member struct {
	Number  int64  // in the study, in the order of addition, set by the store
	Name    string // recorded with their answers
	Segment string // overrides the segment in a request; may be empty
	Key     string // unguessable; identifies the member
	Added   time.Time
}

// HashKey returns the hash by which stores look up members. The time that a lookup takes reveals nothing about the key.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// Check returns an error unless every store can keep the member.
func (m Member) Check() error {
	if m.Name == "" || m.Key == "" {
		return errors.New("study: a member must have a name and a key")
	}
	for _, text := range []string{m.Name, m.Segment, m.Key} {
		if err := CheckText(text); err != nil {
			return fmt.Errorf("study: %w", err)
		}
	}
	return nil
}

// A PanelChange is one atomic change of a panel.
type PanelChange struct {
	Put    []Member // new members; one with the name of an existing member replaces it and keeps its number
	Remove []string // names; unknown names are ignored
}

// Check returns an error unless every store can apply the change: all members are valid, and no name occurs twice.
func (c PanelChange) Check() error {
	named := map[string]bool{}
	for _, m := range c.Put {
		if err := m.Check(); err != nil {
			return err
		}
		if named[m.Name] {
			return errors.New("study: a name occurs twice among the members to put")
		}
		named[m.Name] = true
	}
	for _, name := range c.Remove {
		if err := CheckText(name); err != nil {
			return fmt.Errorf("study: %w", err)
		}
		if named[name] {
			return errors.New("study: a member cannot be put and removed in one change")
		}
	}
	return nil
}
