package setup

import (
	"cmp"
	"context"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/picture"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

// A presentationView is the page on which an owner sets what respondents see besides questions.
type presentationView struct {
	partView

	Languages []languageTexts
	Preview   string // the page that respondents see first
	IDKey     string // the key that signs ids in links; empty if they are not signed
}

// languageTexts are the texts of one language.
type languageTexts struct {
	study.Texts

	Language string
}

// Logo returns the path of the logo, or an empty text.
func (v presentationView) Logo() string { return respond.Logo(v.Study) }

// Limit returns the maximum length of a text.
func (presentationView) Limit() int { return study.MaxPrompt }

// registerPresentation registers the page on which an owner sets what respondents see besides questions.
func (p *Pages) registerPresentation() {
	p.handlePart(part{
		path: "page", action: presentAction, detail: "page", files: true, look: "first-preview",
		read: func(r *http.Request, v *partView) (problem string, err error) {
			v.Study.Page = p.typedPresentation(r, v.Study.Page)
			logo, err := p.addLogo(r.Context(), r, v.Study.ID)
			if err != nil {
				return err.Error(), nil //nolint:nilerr // the page shows it
			}
			v.Study.Page.Logo = cmp.Or(logo, v.Study.Page.Logo)
			return "", nil
		},
		set: func(to *study.Study, typed study.Study) { to.Page = typed.Page },
		wrong: func(v partView, err *study.Error) string {
			return v.Must("presentation.wrong." + strings.TrimPrefix(err.Field, "presentation."))
		},
		show: func(w http.ResponseWriter, r *http.Request, status int, shown string, v partView) (err error) {
			view := presentationView{partView: v}
			if v.Study.Settings.Audience == study.SignedIDs && shown == page.Whole {
				view.IDKey = p.Respond.Dispatch.IDKey(v.Study.ID)
				p.Record(r.Context(), v.Who, "read-id-key", v.Study.ID, "")
			}
			for _, language := range p.Languages() {
				view.Languages = append(view.Languages, languageTexts{v.Study.Page.Texts[language], language})
			}
			if view.Preview, err = p.Respond.PreviewFirst(r.Context(), v.Words, v.Study); err != nil {
				return err
			}
			return p.Show(w, status, "presentation", shown, view)
		},
	})
}

// typedPresentation returns the presentation of a form. Texts in languages that the form does not have stay.
func (p *Pages) typedPresentation(r *http.Request, before study.Presentation) study.Presentation {
	typed := func(field string) string { return page.Typed(r, field) }
	after := study.Presentation{Privacy: typed("privacy"), Redirect: typed("redirect"), Cards: before.Cards}
	after.Full, after.Screened = typed("redirect_full"), typed("redirect_ineligible")
	after.Code = typed("code")
	if typed("accented") == page.Yes {
		after.Accent = strings.ToLower(typed("accent"))
	}
	if typed("unlogo") != page.Yes {
		after.Logo = before.Logo
	}
	texts := map[string]study.Texts{}
	maps.Copy(texts, before.Texts)
	for _, language := range p.Languages() {
		t := study.Texts{
			Prompt: typed("prompt:" + language), Welcome: typed("welcome:" + language), Consent: typed("consent:" + language),
			Thanks: typed("thanks:" + language),
		}
		if texts[language] = t; t == (study.Texts{}) {
			delete(texts, language)
		}
	}
	if len(texts) > 0 {
		after.Texts = texts
	}
	return after
}

// addLogo stores the logo of a form and returns its hash, or an empty text if the form has none.
func (p *Pages) addLogo(ctx context.Context, r *http.Request, id string) (hash string, err error) {
	header := page.File(r, "logo")
	if header == nil {
		return "", nil
	}
	file, err := header.Open()
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	logo, err := picture.Read(file)
	if err != nil {
		return "", err
	}
	return logo.Hash, p.Owner.AddPictures(ctx, id, []study.Picture{logo})
}

// A profileView is the page on which an owner sets the profile questions.
type profileView struct{ partView }

// A profileSlot is a question of the form.
type profileSlot struct {
	study.ProfileQuestion

	At    int
	Lines string // the choices
}

// Slots returns the questions, and empty ones to fill in.
func (v profileView) Slots() (slots []profileSlot) {
	const spare = 2
	for at := range min(len(v.Study.Profile)+spare, study.MaxProfile) {
		slot := profileSlot{At: at}
		if at < len(v.Study.Profile) {
			slot.ProfileQuestion = v.Study.Profile[at]
			slot.Lines = choiceLines(slot.Choices)
		}
		slots = append(slots, slot)
	}
	return slots
}

// Number returns the number of the question on the page.
func (s profileSlot) Number() int { return s.At + 1 }

// Limit returns the maximum length of a name and of a question.
func (profileView) Limit() int { return study.MaxName }

// Segments reports whether the answer to a question can be the segment of a respondent: the study has segments, or can
// still get those of the choices.
func (v profileView) Segments() bool {
	return len(v.Study.Settings.Strategy.Model.Segments) > 0 || mayDeclare(v.Study)
}

// mayDeclare reports whether a profile question can declare the segments of a study.
func mayDeclare(s study.Study) bool {
	return s.State == study.Draft && s.Settings.Strategy.Assume == strategy.Majority
}

// setProfile sets the profile questions of a study. In a draft by majority, the choices of the question about segments
// become the segments, unless there are such already; without that question, segments from choices go.
func setProfile(to *study.Study, typed study.Study) {
	before, after := segmentNames(to.Profile), segmentNames(typed.Profile)
	model := &to.Settings.Strategy.Model
	to.Profile = typed.Profile
	if !mayDeclare(*to) || slices.Equal(before, after) {
		return
	}
	if slices.ContainsFunc(model.Segments, func(s racing.Segment) bool { return !slices.Contains(before, s.Name) }) {
		return // a program has set them
	}
	model.Segments = nil
	for _, name := range after {
		model.Segments = append(model.Segments, racing.Segment{Name: name, Share: 1})
	}
}

// segmentNames returns the choices of the profile question about segments.
func segmentNames(questions []study.ProfileQuestion) (names []string) {
	for _, q := range questions {
		for _, c := range q.Choices {
			if q.Segment {
				names = append(names, c.Text)
			}
		}
	}
	return names
}

// registerProfile registers the page on which an owner sets the profile questions.
func (p *Pages) registerProfile() {
	p.handlePart(part{
		path: "profile", action: profileAction, detail: "profile",
		read: func(r *http.Request, v *partView) (problem string, err error) {
			v.Study.Profile = typedProfile(r)
			return "", nil
		},
		set:   setProfile,
		wrong: func(_ partView, err *study.Error) string { return err.Message },
		show: func(w http.ResponseWriter, _ *http.Request, status int, shown string, v partView) error {
			return p.Show(w, status, "profile", shown, profileView{v})
		},
	})
}

// typedProfile returns the profile questions of a form, without empty ones.
func typedProfile(r *http.Request) (questions []study.ProfileQuestion) {
	for at := range study.MaxProfile {
		typed := func(field string) string { return page.Typed(r, field+":"+strconv.Itoa(at)) }
		q := study.ProfileQuestion{
			Name: typed("name"), Text: typed("text"), Choices: readChoices(typed("choices")),
			After: typed("after") == page.Yes, Segment: typed("segment") == page.Yes,
		}
		for field, limit := range map[string]**float64{"least": &q.Least, "most": &q.Most} {
			if x, err := strconv.ParseFloat(strings.Replace(typed(field), ",", ".", 1), 64); err == nil && !math.IsNaN(x) {
				*limit = &x
			}
		}
		if q.Name != "" || q.Text != "" || q.Choices != nil {
			questions = append(questions, q)
		}
	}
	return questions
}

// readChoices returns the choices in a text, one per line. A number after the last semicolon of a line is a quota; with 0
// the choice is not eligible.
func readChoices(text string) (choices []study.ProfileChoice) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		choice := study.ProfileChoice{Text: line}
		if at := strings.LastIndexByte(line, ';'); at > 0 {
			quota, err := strconv.Atoi(strings.TrimSpace(line[at+1:]))
			if before := strings.TrimSpace(line[:at]); err == nil && quota >= 0 && before != "" {
				choice = study.ProfileChoice{Text: before, Quota: quota, Excluded: quota == 0}
			}
		}
		choices = append(choices, choice)
	}
	return choices
}

// choiceLines returns the text that readChoices reads.
func choiceLines(choices []study.ProfileChoice) string {
	lines := make([]string, len(choices))
	for i, c := range choices {
		if lines[i] = c.Text; c.Quota > 0 || c.Excluded {
			lines[i] += "; " + strconv.Itoa(c.Quota)
		}
	}
	return strings.Join(lines, "\n")
}
