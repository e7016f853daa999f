package setup

import (
	"net/http"

	"bestpick/internal/catalogue/archive"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// A cardsView is the page on which an owner sets what respondents see of an option.
type cardsView struct {
	partView

	Columns      []cardColumn
	Descriptions bool   // options have descriptions
	Pictures     bool   // options have pictures
	Preview      string // the page of a question
}

// A cardColumn is an attribute of the options.
type cardColumn struct {
	study.CardColumn

	Column string // the owner's name
}

// Limit returns the maximum length of a name, and LimitUnit that of a unit.
func (cardsView) Limit() int     { return study.MaxPrompt }
func (cardsView) LimitUnit() int { return study.MaxUnit }

// Prefixes of the column in the names of fields.
const (
	shownPrefix = "show:"
	namedPrefix = "name:"
	unitPrefix  = "unit:"
)

// registerCards registers the page on which an owner sets what respondents see of an option.
func (p *Pages) registerCards() {
	p.handlePart(part{
		path: "cards", action: cardsAction, detail: "page.cards", look: "card-preview",
		read: func(r *http.Request, v *partView) (problem string, err error) {
			arms, err := p.Live.Arms(r.Context(), v.Study)
			if err == nil {
				v.Study.Page.Cards = typedContent(r, arms)
			}
			return "", err
		},
		set:   func(to *study.Study, typed study.Study) { to.Page.Cards = typed.Page.Cards },
		wrong: func(v partView, _ *study.Error) string { return v.Must("cards.wrong", "most", study.MaxUnit) },
		show:  p.showCards,
	})
}

// showCards shows the page, or its preview, with the content of the study in the view.
func (p *Pages) showCards(w http.ResponseWriter, r *http.Request, status int, shown string, v partView) error {
	arms, err := p.Live.Arms(r.Context(), v.Study)
	if err != nil {
		return err
	}
	view := cardsView{partView: v, Descriptions: arms.Descriptions != nil, Pictures: arms.Images != nil}
	for _, name := range attributeNames(arms) {
		view.Columns = append(view.Columns, cardColumn{v.Study.Page.Cards.Columns[name], name})
	}
	if view.Preview, err = p.Respond.Preview(r.Context(), v.Words, v.Study); err != nil {
		return err
	}
	return p.Show(w, status, "cards", shown, view)
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

// typedContent returns the content of cards in a form.
func typedContent(r *http.Request, arms *archive.Catalogue) study.CardContent {
	typed := func(field string) string { return page.Typed(r, field) }
	content := study.CardContent{
		HideDescription: arms.Descriptions != nil && typed("description") != page.Yes,
		HidePicture:     arms.Images != nil && typed("picture") != page.Yes,
	}
	for _, name := range attributeNames(arms) {
		column := study.CardColumn{
			Hidden: typed(shownPrefix+name) != page.Yes, Name: typed(namedPrefix + name), Unit: typed(unitPrefix + name),
		}
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
