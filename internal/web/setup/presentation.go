package setup

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"strings"

	"bestpick/internal/picture"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
)

// A presentationView is the page on which an owner sets what respondents see besides questions.
type presentationView struct {
	partView

	Languages []languageTexts
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
		path: "page", action: presentAction, detail: "page", files: true,
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
		show: func(w http.ResponseWriter, _ *http.Request, status int, v partView) error {
			shown := presentationView{partView: v}
			for _, language := range p.Languages() {
				shown.Languages = append(shown.Languages, languageTexts{v.Study.Page.Texts[language], language})
			}
			return p.Show(w, status, "presentation", page.Whole, shown)
		},
	})
}

// typedPresentation returns the presentation of a form. Texts in languages that the form does not have stay.
func (p *Pages) typedPresentation(r *http.Request, before study.Presentation) study.Presentation {
	typed := func(field string) string { return page.Typed(r, field) }
	after := study.Presentation{Privacy: typed("privacy"), Redirect: typed("redirect"), Cards: before.Cards}
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
