package setup

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A cardsView is the page on which an owner sets what respondents see of an option.
type cardsView struct {
	page.OwnerView

	Study        study.Study
	Version      int // that the owner has seen
	Columns      []cardColumn
	Descriptions bool   // options have descriptions
	Pictures     bool   // options have pictures
	Preview      string // the page of a question
	Problem      string
	Conflict     bool // another owner has changed the study
}

// A cardColumn is an attribute of the options.
type cardColumn struct {
	study.CardColumn

	Column string // the owner's name
}

// Longest returns the maximum length of a name, and LongestUnit that of a unit.
func (cardsView) Longest() int     { return study.MaxPrompt }
func (cardsView) LongestUnit() int { return study.MaxUnit }

// Prefixes of the column in the names of fields.
const (
	shownPrefix = "show:"
	namedPrefix = "name:"
	unitPrefix  = "unit:"
)

// registerCards registers the page on which an owner sets what respondents see of an option.
func (p *Pages) registerCards() {
	const path = page.StudiesPath + "{study}/cards"
	p.HandleOwners("GET "+path, func(w http.ResponseWriter, r *http.Request, who access.Token) {
		s, err := p.StudyOf(r)
		if err != nil {
			p.Fail(w, r, who, err)
			return
		}
		p.showCards(w, r, http.StatusOK, page.Whole, cardsView{OwnerView: p.OwnerView(r, who), Study: s, Version: s.Version})
	})
	p.HandleOwners("POST "+path, p.changeCards)
	p.HandleOwners("POST "+path+"/look", func(w http.ResponseWriter, r *http.Request, who access.Token) {
		part := page.Whole
		if page.WantsPart(r) {
			part = "card-preview"
		}
		if v, ok := p.typedCards(w, r, who); ok {
			p.showCards(w, r, http.StatusOK, part, v)
		}
	})
}

// showCards shows the page, or its preview, with the content of the study in the view.
func (p *Pages) showCards(w http.ResponseWriter, r *http.Request, status int, part string, v cardsView) {
	arms, err := p.Live.Arms(r.Context(), v.Study)
	if err != nil {
		p.Fail(w, r, v.Who, err)
		return
	}
	v.Descriptions, v.Pictures = arms.Descriptions != nil, arms.Images != nil
	for _, name := range attributeNames(arms) {
		v.Columns = append(v.Columns, cardColumn{v.Study.Page.Cards.Columns[name], name})
	}
	if v.Preview, err = p.Respond.Preview(r.Context(), v.Words, v.Study); err != nil {
		p.Fail(w, r, access.Token{}, err)
		return
	}
	p.Show(w, status, "cards", part, v)
}

// attributeNames returns the names of the attributes of arms, in the owner's order.
func attributeNames(arms *archive.Catalogue) (names []string) {
	if arms.Profiles != nil {
		for _, a := range arms.Profiles.Attributes {
			names = append(names, a.Name)
		}
		return names
	}
	for i := range arms.Attributes {
		names = append(names, arms.Attributes[i].Name)
	}
	return names
}

// typedCards returns the page with the content of the submitted form. ok is false if it has replied.
func (p *Pages) typedCards(w http.ResponseWriter, r *http.Request, who access.Token) (v cardsView, ok bool) {
	if !page.ParseForm(w, r) {
		return v, false
	}
	version, err := strconv.Atoi(r.PostFormValue("version"))
	if err != nil || version < 1 {
		page.Unreadable(w)
		return v, false
	}
	s, err := p.StudyOf(r)
	if err != nil {
		p.Fail(w, r, who, err)
		return v, false
	}
	arms, err := p.Live.Arms(r.Context(), s)
	if err != nil {
		p.Fail(w, r, who, err)
		return v, false
	}
	s.Page.Cards = typedContent(r, arms)
	return cardsView{OwnerView: p.OwnerView(r, who), Study: s, Version: version}, true
}

// typedContent returns the content of cards in a form.
func typedContent(r *http.Request, arms *archive.Catalogue) study.CardContent {
	typed := func(field string) string { return strings.TrimSpace(r.PostFormValue(field)) }
	content := study.CardContent{
		HideDescription: arms.Descriptions != nil && typed("description") != page.Yes,
		HidePicture:     arms.Images != nil && typed("picture") != page.Yes,
	}
	for _, name := range attributeNames(arms) {
		column := study.CardColumn{Hidden: typed(shownPrefix+name) != page.Yes, Name: typed(namedPrefix + name), Unit: typed(unitPrefix + name)}
		if column.Name == name {
			column.Name = ""
		}
		if column == (study.CardColumn{}) {
			continue
		}
		if content.Columns == nil {
			content.Columns = map[string]study.CardColumn{}
		}
		content.Columns[name] = column
	}
	return content
}

// changeCards saves what respondents see of an option.
func (p *Pages) changeCards(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, ok := p.typedCards(w, r, who)
	if !ok {
		return
	}
	_, err := p.Owner.Change(r.Context(), v.Study.ID, v.Version, func(s *study.Study) error {
		s.Page.Cards = v.Study.Page.Cards
		return nil
	})
	switch {
	case errors.Is(err, study.ErrChanged):
		v.Conflict, v.Version = true, v.Study.Version
		p.showCards(w, r, http.StatusConflict, page.Whole, v)
	case errors.Is(err, study.ErrInvalid):
		v.Problem = v.Must("cards.wrong", "most", study.MaxUnit)
		p.showCards(w, r, http.StatusUnprocessableEntity, page.Whole, v)
	case err != nil:
		p.Fail(w, r, who, err)
	default:
		p.Record(r.Context(), who, "change-study", v.Study.ID, "page.cards")
		p.RedirectToStudy(w, r, v.Study.ID, cardsDeed)
	}
}
