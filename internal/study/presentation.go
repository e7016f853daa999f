package study

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Presentation is what respondents see besides questions. It has no effect on the result, and is not part of the
// digest.
type Presentation struct {
	Texts    map[string]Texts `json:"texts,omitempty"`    // by language, such as en
	Privacy  string           `json:"privacy,omitempty"`  // address of the privacy notice
	Redirect string           `json:"redirect,omitempty"` // address to continue at, with RespondentPlace
	Logo     string           `json:"logo,omitempty"`     // hash of a stored picture
	Accent   string           `json:"accent,omitempty"`   // colour, such as #2a56cf
	Cards    CardContent      `json:"cards,omitzero"`
}

// Texts are the owner's texts in one language.
type Texts struct {
	Prompt  string `json:"prompt,omitempty"`  // the question; defaults to the study's prompt
	Welcome string `json:"welcome,omitempty"` // before the first question
	Consent string `json:"consent,omitempty"` // beside a box that must be ticked
	Thanks  string `json:"thanks,omitempty"`  // after the last question
}

// RespondentPlace is the part of a redirect address that is replaced by the respondent's name.
const RespondentPlace = "{respondent}"

// In returns the texts in a language. Missing ones are those of English, or of the first other language.
func (p Presentation) In(language string) Texts {
	t := p.Texts[language]
	for _, other := range append([]string{"en"}, slices.Sorted(maps.Keys(p.Texts))...) {
		their := p.Texts[other]
		if t.Welcome == "" && t.Consent == "" {
			t.Welcome, t.Consent = their.Welcome, their.Consent
		}
		if t.Thanks == "" {
			t.Thanks = their.Thanks
		}
	}
	return t
}

// Asks reports whether respondents must give their consent.
func (p Presentation) Asks() bool {
	for _, t := range p.Texts {
		if t.Consent != "" {
			return true
		}
	}
	return false
}

// Greets reports whether respondents see a page before the first question.
func (p Presentation) Greets() bool {
	for _, t := range p.Texts {
		if t.Welcome != "" || t.Consent != "" {
			return true
		}
	}
	return false
}

// Leave returns the address at which a respondent continues after the last question, or an empty text.
func (p Presentation) Leave(respondent string) string {
	return strings.ReplaceAll(p.Redirect, RespondentPlace, url.QueryEscape(respondent))
}

var (
	colour       = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	storedHash   = regexp.MustCompile(`^[0-9a-f]{32}$`)
	languageName = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
)

// Check returns an error unless the presentation is valid.
func (p Presentation) Check() error {
	refuse := func(field, why string, values ...any) error {
		return Invalid("presentation."+field, fmt.Sprintf(why, values...))
	}
	if len(p.Texts) > MaxLanguages {
		return refuse("texts", "at most %d languages are possible, got %d", MaxLanguages, len(p.Texts))
	}
	for _, language := range slices.Sorted(maps.Keys(p.Texts)) {
		if !languageName.MatchString(language) || len(language) > MaxName {
			return refuse("texts", "a language must be a tag such as en, got %.20q", language)
		}
		t := p.Texts[language]
		for _, text := range []string{t.Prompt, t.Welcome, t.Consent, t.Thanks} {
			if utf8.RuneCountInString(text) > MaxPrompt || !isStorable(text) {
				return refuse("texts", "%s: a text must be UTF-8 with at most %d characters and no zero bytes", language, MaxPrompt)
			}
		}
	}
	for field, address := range map[string]string{"privacy": p.Privacy, "redirect": p.Redirect} {
		if address != "" && !isWebAddress(address) {
			return refuse(field, "must be an address that begins with https:// or http://, with at most %d characters", MaxPrompt)
		}
	}
	if p.Accent != "" && !colour.MatchString(p.Accent) {
		return refuse("accent", "must be a colour such as #2a56cf, got %.20q", p.Accent)
	}
	if p.Logo != "" && !storedHash.MatchString(p.Logo) {
		return refuse("logo", "must be the hash of a stored picture, got %.20q", p.Logo)
	}
	return p.Cards.check()
}

// isWebAddress reports whether a text is the address of a web page.
func isWebAddress(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && isStorable(text) && len(text) <= MaxPrompt && parsed.Host != "" &&
		(parsed.Scheme == "https" || parsed.Scheme == "http")
}
