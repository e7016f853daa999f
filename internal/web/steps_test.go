package web_test

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"bestpick/internal/browser"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/strategy"
	"bestpick/wire"
)

// packages returns a table whose colours all differ.
func packages() string {
	return "Name\tColour\tCost\tMOQ\nBox\tred\t1.20\t100\nTube\tblue\t1.50\t50\nPouch\tgreen\t0.80\t500\n" +
		"Tin\tblack\t2.10\t100\nJar\twhite\t1.90\t50\nBag\tyellow\t0.40\t1000\n"
}

// onePixel returns a picture.
func onePixel() string {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return file.String()
}

// looked is true once the form shows the options.
const looked = "document.querySelector('#looking').textContent === '' && document.querySelector('#recognised h3') !== null"

// TestSteps: an owner sets up a study in three steps. All subtests share one browser.
func TestSteps(t *testing.T) {
	b := browser.Start(t)
	for name, test := range map[string]func(*stage, *browser.Browser){
		"six clicks": sixClicks, "height": formHeight, "columns": shownAndUsed, "workbook": chosenSheet, "first line": firstLine,
		"template": templateFills, "editor": editor, "not together": notTogether, "four": fourCards,
	} {
		t.Run(name, func(t *testing.T) { test(begin(t), b) })
	}
}

// sixClicks: six clicks lead from signing in to the copied link.
func sixClicks(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	w.Go(s.url)
	w.Wait("document.activeElement.id === 'token'")
	w.Keys(s.secret)
	w.Click(".sign-in .button") // 1
	w.WaitText("h1", "Studies")
	w.Click("a.button[href='/new']") // 2
	w.WaitText("h1", "New study")
	w.Click("#table") // 3
	fill(w, "#table", packages())
	w.Wait(looked)
	w.Click("#name") // 4
	w.Keys("Packages")
	w.Click("button[value=open]") // 5
	if made := s.created(w); made.State != study.Open || made.Arms != 6 {
		s.Errorf("%+v", made)
	}
	w.Wait("document.documentElement.classList.contains('scripted')")
	w.AllowCopying()
	w.Click("[data-copy]") // 6
	w.Wait("document.querySelector('[data-copy]').textContent.trim() === document.querySelector('[data-copy]').dataset.copied")
}

// formHeight: with a table and its folded parts closed the form is at most 1,600 pixels high on a desktop. The preview and
// the button stay in view. Both languages, light and dark, are accessible.
func formHeight(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.View{Width: 1440, Height: 900})
	s.enter(w, s.owner.Token, "/", "Studies")
	for _, language := range []string{"en", "de"} {
		w.Go(s.url + "/new?lang=" + language)
		w.WaitText("h1", map[string]string{"en": "New study", "de": "Neue Umfrage"}[language])
		w.Wait("document.documentElement.classList.contains('scripted')")
		fill(w, "#table", lamps())
		w.Wait(looked)
		w.Wait("document.querySelector('#preview iframe') !== null")
		if height := browser.Eval[int](w, "document.documentElement.scrollHeight"); height > 1600 {
			s.Errorf("the form is %d pixels high", height)
		} else {
			s.Logf("%s: %d pixels", language, height)
		}
		for _, top := range []string{"0", "document.documentElement.scrollHeight"} {
			w.Wait("window.scrollTo(0, " + top + "), true")
			w.Wait(`['.bar button[value=open]', '#preview iframe'].every((each) => {
				const box = document.querySelector(each).getBoundingClientRect();
				return box.top < innerHeight && box.bottom > 0;
			})`)
		}
		for _, dark := range []bool{false, true} {
			w.Dark(dark)
			w.Accessible()
			keep(w, "form-"+language+map[bool]string{true: "-dark"}[dark])
		}
		w.Dark(false)
	}
	phone := b.Open(s.T, browser.Phone())
	s.enter(phone, s.owner.Token, "/new", "New study")
	fill(phone, "#table", lamps())
	phone.Wait(looked)
	phone.Accessible()
	keep(phone, "form-phone")
}

// shownAndUsed: a column is shown by default, even if it is not used. A type that does not fit is reported at its row, and
// can be changed there.
func shownAndUsed(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	fill(w, "#table", packages())
	w.Wait(looked)
	box := func(name string) string { return `document.querySelector('[name="` + name + `"]')` }
	w.Wait(box("show:Colour") + ".checked && !" + box("used:Colour") + ".checked && " + box("used:Cost") + ".checked")
	w.Wait("document.querySelector('#preview iframe').srcdoc.includes('yellow') || document.querySelector('#preview iframe').srcdoc.includes('red')")
	w.Click("[name='show:Cost']")
	w.Wait("!document.querySelector('#preview iframe').srcdoc.includes('1.20')")
	w.Click("[name='used:MOQ']")
	w.Wait(looked + " && !" + box("used:MOQ") + ".checked && document.querySelector('#preview iframe').srcdoc.includes('MOQ')")
	fill(w, "[name='kind:Colour']", "date")
	w.Wait("document.querySelector('#recognised .problem') !== null && document.querySelectorAll('#recognised tbody tr').length >= 4")
	fill(w, "[name='kind:Colour']", "")
	w.Wait("document.querySelector('#recognised .problem') === null")
	press(w, "[name='used:Colour']")
	w.Wait(looked + " && !" + box("used:Colour") + ".checked")
	fill(w, "#name", "Packages")
	press(w, "button[value=keep]")
	made := s.created(w)
	if columns := made.Page.Cards.Columns; len(columns) != 1 || !columns["Cost"].Hidden {
		s.Errorf("the cards have %+v", made.Page.Cards)
	}
	arms := testsupport.Value(s.studies.Live.Catalogue(s.Context(), made.ID)).OrFail(s)
	if card := arms.Card(0); len(card.Attributes) != 3 || len(arms.Encoding.Columns) != 1 {
		s.Errorf("%+v, with %d columns in use", card, len(arms.Encoding.Columns))
	}
}

// chosenSheet: a workbook with a cover sheet and a title is read from the fullest sheet, and both can be changed.
func chosenSheet(s *stage, b *browser.Browser) {
	book := excelize.NewFile()
	put := func(sheet string, rows ...[]any) {
		for i, row := range rows {
			cell, err := excelize.CoordinatesToCellName(1, i+1)
			s.must(err)
			s.must(book.SetSheetRow(sheet, cell, &row))
		}
	}
	put("Sheet1", []any{"Cover sheet"}, []any{"confidential"})
	for _, sheet := range []string{"Data", "Old"} {
		_, err := book.NewSheet(sheet)
		s.must(err)
	}
	put("Data", []any{"Lamps 2027"}, []any{}, []any{"Name", "Price"}, []any{"Orb", 10}, []any{"Fold", 12}, []any{"Arc", 15})
	put("Old", []any{"Name", "Price"}, []any{"Reed", 3}, []any{"Dome", 4})
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	w.Drop("#drop", s.file("lamps.xlsx", cataloguetest.SavedWorkbook(s.T, book)))
	w.WaitText("#recognised h3", "3 options")
	w.Wait("document.querySelector('#sheet').value === 'Data' && document.querySelector('#heading').value === '3'")
	w.Accessible()
	fill(w, "#sheet", "Old")
	w.WaitText("#recognised h3", "2 options")
	fill(w, "#sheet", "Data")
	w.WaitText("#recognised h3", "3 options")
	fill(w, "#heading", "1")
	w.WaitText("#catalogue-problem", "Line 3: the row has 2 fields, the header has 1 (and 3 more)")
	fill(w, "#heading", "3")
	w.WaitText("#recognised h3", "3 options")
}

// firstLine: the first line of a list is an option, unless the owner says that it is a heading.
func firstLine(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.enter(w, s.owner.Token, "/new", "New study")
	fill(w, "#table", "5 habits that quietly drain your budget\nThe Rent Trap\nWhy Savings Fail\n")
	w.WaitText("#recognised h3", "3 options")
	w.Wait("document.querySelector('.warnings') === null")
	press(w, "[type=checkbox][name=heading]")
	w.WaitText("#recognised h3", "2 options")
	w.Accessible()
	press(w, "[type=checkbox][name=heading]")
	w.WaitText("#recognised h3", "3 options")
}

// templateFills: a template fills in what is empty, and keeps what the owner has typed.
func templateFills(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	w.Wait("document.documentElement.classList.contains('scripted')")
	fill(w, "#table", packages())
	fill(w, "#each", "7")
	press(w, "[data-template=designs]")
	w.Wait("document.querySelector('#prompt').value === 'Which design do you like best?' && document.querySelector('#k').value === '2'")
	press(w, "[data-template=headlines]")
	w.Wait("document.querySelector('#prompt').value === 'Which design do you like best?' && document.querySelector('#each').value === '7'")
	w.Wait("document.querySelector('#table').value.startsWith('Name')")
}

// editor: options are edited, reordered, added and removed on the page, and a picture is dropped on one of them.
func editor(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	w.Drop("#drop", s.file("names.csv", "name,price\nOrb,1\nReed,2\nFold,3\nArc,4\n"))
	w.WaitText("#recognised h3", "4 options")
	press(w, "#editor summary")
	fill(w, "#editor tbody tr:nth-child(1) input", "Orb, large")
	press(w, "#editor tbody tr:nth-child(2) [data-row=up]")
	press(w, "#editor tbody tr:nth-child(3) [data-row=remove]")
	w.WaitText("#recognised h3", "3 options")
	press(w, "[data-row=add]")
	fill(w, "#editor tbody tr:last-child input", "Dome")
	w.WaitText("#recognised h3", "4 options")
	w.Drop("#editor tbody tr:nth-child(1) input", s.file("reed.png", onePixel()))
	w.Wait("document.querySelector('#editor tbody tr:nth-child(1) img') !== null && document.querySelector('#pictures').files.length === 1")
	w.Accessible()
	fill(w, "#name", "Edited")
	w.Wait(looked)
	press(w, "button[value=keep]")
	made := s.created(w)
	arms := testsupport.Value(s.studies.Live.Catalogue(s.Context(), made.ID)).OrFail(s)
	if got := strings.Join(arms.Labels, "|"); got != "Reed|Orb, large|Arc|Dome" || arms.Images == nil || arms.Images[0] == "" ||
		arms.Images[1] != "" {
		s.Errorf("%s, %q", got, arms.Images)
	}
}

// notTogether: settings that exclude each other are reported at a field, and nothing else changes.
func notTogether(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	fill(w, "#table", packages())
	w.Wait(looked)
	fill(w, "#best_worst", "true")
	fill(w, "#top", "-1")
	w.Wait("[...document.querySelectorAll('.problem:not([hidden])')].length > 0 && document.querySelector('[name=assume][value=majority]').checked")
	fill(w, "#name", "Three")
	press(w, "button[value=keep]")
	w.Wait("!document.querySelector('#wrong').hidden && document.querySelector('.fold[open] .problem:not([hidden])') !== null")
	fill(w, "#budget", "-3")
	w.WaitText("#budget-problem", "Enter a whole number from 1 to 1,000,000,000.")
	fill(w, "#budget", "")
	fill(w, "#deadline", "2001-01-01T00:00")
	w.WaitText("#deadline-problem", "The deadline must be in the future.")
	fill(w, "#deadline", "")
	w.Wait("document.querySelector('#deadline-problem').hidden")
	fill(w, "#top", "1")
	fill(w, "#best_worst", "false")
	w.Wait("document.querySelectorAll('.problem:not([hidden])').length === 0")
	press(w, "button[value=keep]")
	if made := s.created(w); made.Settings.Strategy.Assume != strategy.Majority {
		s.Errorf("%+v", made.Settings)
	}
}

// fourCards: at the width of a tablet, four cards are two by two.
func fourCards(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 4})
	w := b.Open(s.T, browser.View{Width: 768, Height: 1024})
	w.Go(s.url + "/s/" + id)
	w.Wait("document.querySelectorAll('.card').length === 4")
	w.Wait(`new Set([...document.querySelectorAll('.card')].map((each) => Math.round(each.getBoundingClientRect().left))).size === 2`)
}
