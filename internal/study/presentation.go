package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"bestpick/internal/picture"
)

// A Presentation is what respondents see besides questions. It has no effect on the result, and is not part of the digest.
type Presentation struct {
	Texts    map[string]Texts `json:"texts,omitempty"`               // by language, such as en
	Privacy  string           `json:"privacy,omitempty"`             // address of the privacy notice
	Redirect string           `json:"redirect,omitempty"`            // address to continue at when finished, with RespondentPlace
	Full     string           `json:"redirect_full,omitempty"`       // the same if the study needs no more people
	Screened string           `json:"redirect_ineligible,omitempty"` // the same if the study is for other people
	Code     string           `json:"code,omitempty"`                // shown to people who have finished
	Logo     string           `json:"logo,omitempty"`                // hash of a stored picture
	Accent   string           `json:"accent,omitempty"`              // colour, such as #2a56cf
	Cards    CardContent      `json:"cards,omitzero"`
}

// Texts are the owner's texts in one language.
type Texts struct {
	Prompt  string `json:"prompt,omitempty"`  // the question; defaults to the study's prompt
	Welcome string `json:"welcome,omitempty"` // before the first question
	Consent string `json:"consent,omitempty"` // beside a box that must be ticked; respondents are asked only with it
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

// ConsentID identifies a text of consent.
func ConsentID(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// ConsentText returns the text of consent with an ID, or an empty text if the study asks for no such consent.
func (p Presentation) ConsentText(id string) string {
	for _, t := range p.Texts {
		if id != "" && ConsentID(t.Consent) == id {
			return t.Consent
		}
	}
	return ""
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

// Leave returns one of the addresses at which a respondent continues.
func Leave(address, respondent string) string {
	return strings.ReplaceAll(address, RespondentPlace, url.QueryEscape(respondent))
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
			if utf8.RuneCountInString(text) > MaxPrompt || !IsText(text) {
				return refuse("texts", "%s: a text must be UTF-8 with at most %d characters and no zero bytes", language, MaxPrompt)
			}
		}
	}
	if utf8.RuneCountInString(p.Code) > MaxName || !IsText(p.Code) {
		return refuse("code", "must be UTF-8 with at most %d characters and no zero bytes", MaxName)
	}
	for field, address := range map[string]string{
		"privacy": p.Privacy, "redirect": p.Redirect, "redirect_full": p.Full, "redirect_ineligible": p.Screened,
	} {
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
	return err == nil && IsText(text) && len(text) <= MaxPrompt && parsed.Host != "" &&
		(parsed.Scheme == "https" || parsed.Scheme == "http")
}

// A CardContent is the owner's choice of what respondents see of an arm. The zero value shows everything. It has no
// effect on the features of arms.
type CardContent struct {
	Columns         map[string]CardColumn `json:"columns,omitempty"` // by the name of the attribute
	HideDescription bool                  `json:"hide_description,omitempty"`
	HidePicture     bool                  `json:"hide_picture,omitempty"`
}

// A CardColumn says how respondents see an attribute.
type CardColumn struct {
	Hidden bool   `json:"hidden,omitempty"`
	Name   string `json:"name,omitempty"` // defaults to the name of the attribute
	Unit   string `json:"unit,omitempty"` // after each value
}

// IsZero reports whether everything is shown as the owner wrote it.
func (c CardContent) IsZero() bool {
	return len(c.Columns) == 0 && !c.HideDescription && !c.HidePicture
}

// check returns an error unless the content is valid.
func (c CardContent) check() error {
	const field = "presentation.cards"
	if len(c.Columns) > MaxColumns {
		return Invalid(field, fmt.Sprintf("at most %d columns are possible, got %d", MaxColumns, len(c.Columns)))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Columns)) {
		column := c.Columns[name]
		for _, text := range []string{name, column.Name} {
			if utf8.RuneCountInString(text) > MaxPrompt || !IsText(text) {
				return Invalid(field, fmt.Sprintf("column %.20q: a name must be UTF-8 with at most %d characters and no zero bytes",
					name, MaxPrompt))
			}
		}
		if utf8.RuneCountInString(column.Unit) > MaxUnit || !IsText(column.Unit) {
			return Invalid(field, fmt.Sprintf("column %.20q: a unit must be UTF-8 with at most %d characters and no zero bytes",
				name, MaxUnit))
		}
	}
	return nil
}

// A Picture is a picture of an arm.
type Picture = picture.Picture

// Pictures stores the pictures of arms.
type Pictures interface {
	// AddPictures adds pictures to a study, atomically. It ignores pictures whose hash the study already has.
	AddPictures(ctx context.Context, id string, pictures []Picture) error

	// Picture returns the study's picture with the given hash, or ErrNotFound.
	Picture(ctx context.Context, id, hash string) (Picture, error)

	// PictureHashes returns the hashes of all pictures of a study, in order.
	PictureHashes(ctx context.Context, id string) ([]string, error)
}

// PictureAddress returns the address from which a browser loads the image of an arm: the path of a
// stored picture on this server, or the image's own address.
func PictureAddress(id, image string) string {
	if hash, stored := picture.Hash(image); stored {
		return "/s/" + id + "/pictures/" + hash
	}
	return image
}

// IsPicturePath reports whether an image is the path of a stored picture on this server.
func IsPicturePath(image string) bool { return picturePath.MatchString(image) }

var picturePath = regexp.MustCompile(`^/s/[a-z0-9]+/pictures/[0-9a-f]{32}$`)
