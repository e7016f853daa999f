package web_test

import (
	"fmt"
	"strings"

	"bestpick/internal/browser"
	"bestpick/internal/catalogue/cataloguetest"
)

// sheets: an owner drops or pastes a sheet as it is, and respondents see the headlines on the cards, with
// the attributes that the sheet has.
func sheets(s *stage, b *browser.Browser) {
	all := cataloguetest.Headlines()
	names := all.Only(1)
	owner, respondent := b.Open(s.T, browser.Desktop()), b.Open(s.T, browser.Phone())
	s.enter(owner, s.owner.Token, "/new", "New study")
	for _, c := range []struct {
		sheet         cataloguetest.Sheet
		file, content string
	}{
		{all, "deutsch.csv", all.German(s.T)},
		{all, "sheet.xlsx", all.Workbook(s.T)},
		{all, "sheet.json", all.JSON(s.T)},
		{all, "", all.Text("\t", ",", "\n")},
		{names, "", names.Text("\t", ",", "\n")},
	} {
		owner.Go(s.url + "/new")
		owner.WaitText("h1", "New study")
		owner.Wait("document.documentElement.classList.contains('scripted')")
		features := 7
		if len(c.sheet.Columns) == 1 {
			features = len(c.sheet.Rows) - 1
		}
		if c.file != "" {
			owner.Drop("#drop", s.file(c.file, c.content))
		} else {
			fill(owner, "#table", c.content)
		}
		owner.WaitText("#recognised h3 + p", fmt.Sprintf("24 options. Features that tell them apart: %d.", features))
		fill(owner, "#name", "Headlines")
		press(owner, "button[value=open]")
		respondent.Go(s.page(s.created(owner).ID))
		shown(respondent, 1)
		s.headlines(respondent, c.sheet)
	}
}

// headlines checks the cards of the question in a window.
func (s *stage) headlines(w *browser.Window, sheet cataloguetest.Sheet) {
	s.Helper()
	cards := browser.Eval[[]struct {
		Arm, Text  string
		Attributes int
		Picture    bool
	}](w, `[...document.querySelectorAll('#stage .card')].map((card) => ({
		Arm: card.dataset.arm, Text: card.textContent, Attributes: card.querySelectorAll('dt').length, Picture: card.querySelector('img') !== null,
	}))`)
	if len(cards) < 2 {
		s.Errorf("%d cards", len(cards))
	}
	for _, card := range cards {
		var row int
		if _, err := fmt.Sscan(card.Arm, &row); err != nil {
			s.Errorf("%q is no number of a row", card.Arm)
			continue
		}
		if !strings.Contains(card.Text, cataloguetest.Headline(row-1)) || card.Attributes != max(0, len(sheet.Columns)-2) ||
			card.Picture != (len(sheet.Columns) > 1) {
			s.Errorf("the card of row %d is %+v", row, card)
		}
	}
}
