package setup

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/picture"
	"bestpick/internal/study"
	"bestpick/internal/uploads"
	"bestpick/internal/web/page"
	"bestpick/internal/web/respond"
)

// A presentationView is the page on which an owner sets what respondents see besides questions.
type presentationView struct {
	page.OwnerView

	Study     study.Study
	Version   int // that the owner has seen
	Languages []languageTexts
	Problem   string
	Conflict  bool // another owner has changed the study
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
	const path = page.StudiesPath + "{study}/page"
	p.HandleOwners("GET "+path, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		s, err := p.StudyOf(r)
		if err != nil {
			p.Fail(w, r, who, err)
			return
		}
		p.showPresentation(w, r, http.StatusOK, presentationView{OwnerView: p.OwnerView(r, who), Study: s, Version: s.Version})
	})
	p.HandleOwners("POST "+path, p.changePresentation)
}

func (p *Pages) showPresentation(w http.ResponseWriter, _ *http.Request, status int, v presentationView) {
	for _, language := range p.Languages() {
		v.Languages = append(v.Languages, languageTexts{v.Study.Page.Texts[language], language})
	}
	p.Show(w, status, "presentation", page.Whole, v)
}

// changePresentation saves what respondents see besides questions.
func (p *Pages) changePresentation(w http.ResponseWriter, r *http.Request, who access.Token) {
	done, err := page.ParseUpload(w, r, uploads.MaxBytes)
	defer done()
	version, wrong := strconv.Atoi(r.PostFormValue("version"))
	if err != nil || wrong != nil || version < 1 {
		page.Unreadable(w)
		return
	}
	s, err := p.StudyOf(r)
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	v := presentationView{OwnerView: p.OwnerView(r, who), Study: s, Version: version}
	v.Study.Page = p.typedPresentation(r, s.Page)
	if logo, err := p.addLogo(r.Context(), r, s.ID); err != nil {
		v.Problem = err.Error()
	} else if logo != "" {
		v.Study.Page.Logo = logo
	}
	if v.Problem == "" {
		_, err = p.Owner.Change(r.Context(), s.ID, version, func(s *study.Study) error {
			s.Page = v.Study.Page
			return nil
		})
	}
	switch {
	case errors.Is(err, study.ErrChanged):
		v.Conflict, v.Version = true, s.Version
		p.showPresentation(w, r, http.StatusConflict, v)
	case errors.Is(err, study.ErrInvalid) || v.Problem != "":
		if err != nil {
			v.Problem = v.Must("presentation.wrong." + strings.TrimPrefix(study.Coded(err).Field, "presentation."))
		}
		p.showPresentation(w, r, http.StatusUnprocessableEntity, v)
	case err != nil:
		p.Fail(w, r, who, err)
	default:
		p.Record(r.Context(), who, "change-study", s.ID, "page")
		p.RedirectToStudy(w, r, s.ID, presentDeed)
	}
}

// typedPresentation returns the presentation of a form. Texts in languages that the form does not have stay.
func (p *Pages) typedPresentation(r *http.Request, before study.Presentation) study.Presentation {
	typed := func(field string) string {
		return strings.TrimSpace(strings.ReplaceAll(r.PostFormValue(field), "\r\n", "\n"))
	}
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
			Prompt: typed("prompt:" + language), Welcome: typed("welcome:" + language), Consent: typed("consent:" + language), Thanks: typed("thanks:" + language),
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
