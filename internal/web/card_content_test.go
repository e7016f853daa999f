package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// cardContent: an owner hides, renames and measures columns while the study runs. The preview follows, at the width of
// a phone and of a desktop, and respondents see the same.
func cardContent(s *stage, b *browser.Browser) {
	id := s.open(drawn(), wire.Settings{K: 3})
	for _, view := range []browser.View{browser.Phone(), browser.Desktop()} {
		owner := s.owned(b, id, view)
		owner.Go(s.results(id) + "/cards")
		owner.WaitText("h1", "Card content")
		framed := func(kind, script string) string {
			return fmt.Sprintf("(() => { const page = document.querySelector('.framed.%s iframe')?.contentDocument; return %s; })()",
				kind, script)
		}
		for kind, wide := range map[string]int{"phone": 360, "desktop": 1200} {
			owner.Wait(framed(kind,
				fmt.Sprintf("page?.defaultView.innerWidth === %d && page.querySelectorAll('.card').length === 3 && "+
					"getComputedStyle(page.querySelector('.card')).borderRadius !== '0px'", wide)))
		}
		fill(owner, "[name='unit:price']", "EUR")
		fill(owner, "[name='name:price']", "Costs")
		if browser.Eval[bool](owner, "document.querySelector('[name=\"show:material\"]').checked") {
			press(owner, "[name='show:material']")
		}
		for _, kind := range []string{"phone", "desktop"} {
			owner.Wait(framed(kind,
				"/Costs/.test(page.body.innerText) && /\u00a0EUR/.test(page.body.textContent) && "+
					"!/glass|steel|paper/.test(page.body.innerText)"))
		}
		owner.Accessible()
		if wide := browser.Eval[int64](owner, "document.documentElement.scrollWidth"); wide > view.Width {
			s.Errorf("the page is %d pixels wide", wide)
		}
		press(owner, "form.set-up .button")
		done(owner, "The content of cards is saved")
	}
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	w.Wait("/Costs/.test(document.body.innerText) && /\u00a0EUR/.test(document.body.textContent) && " +
		"!/glass|steel|paper/.test(document.documentElement.outerHTML)")
}

// TestCardContentWithoutScript: without JavaScript a button shows the preview. The API has the same content.
func TestCardContentWithoutScript(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3})
	p := s.person(true)
	p.get(s.url + "/sign-in")
	p.send(s.url+"/sign-in", url.Values{"token": {s.secret}})
	p.get(s.results(id) + "/cards")
	p.sees(http.StatusOK, "Show price")
	version := func() []string {
		st := testsupport.Value(s.studies.Store.Study(t.Context(), id)).OrFail(s)
		return []string{strconv.Itoa(st.Version)}
	}
	p.send(s.results(id)+"/cards/look", url.Values{"version": version(), "show:price": {"true"}, "unit:price": {"<b>EUR"}})
	p.sees(http.StatusOK, "&amp;lt;b&amp;gt;EUR")
	before := testsupport.Value(s.studies.Store.Study(t.Context(), id)).OrFail(s)
	if !before.Page.Cards.IsZero() {
		t.Error("a preview has changed the study")
	}
	p.send(s.results(id)+"/cards", url.Values{"version": version(), "show:price": {"true"}, "unit:price": {strings.Repeat("m", 51)}})
	p.sees(http.StatusUnprocessableEntity, "50 for a unit")
	p.send(s.results(id)+"/cards", url.Values{"version": {"999"}, "show:price": {"true"}})
	p.sees(http.StatusConflict, "")
	p.send(s.results(id)+"/cards", url.Values{"version": version(), "show:price": {"true"}, "unit:price": {"EUR"}})
	st := testsupport.Value(s.owner.Study(t.Context(), id)).OrFail(s)
	if c := st.Page.Cards.Columns; c["price"].Unit != "EUR" || c["price"].Hidden || !c["lumen"].Hidden {
		t.Errorf("%+v", c)
	}
	st.Page.Cards.HideDescription = true
	changed := testsupport.Value(s.owner.Change(t.Context(), id, st.Version, wire.Change{Page: st.Page})).OrFail(s)
	if changed.Page.Cards == nil || !changed.Page.Cards.HideDescription || changed.Page.Cards.Columns["price"].Unit != "EUR" {
		t.Errorf("%+v", changed.Page)
	}
}

// TestLabelColumn: the page of a study shows the column of titles under the name that it has in the owner's file.
func TestLabelColumn(t *testing.T) {
	s := begin(t)
	for _, name := range []string{"title", "Name", "headline", "label"} {
		id := s.draft(name+",price\nOrb,10\nReed,20\nFold,40\n", wire.Settings{K: 2})
		p := s.signedInPerson()
		p.get(s.results(id) + "/edit")
		p.sees(http.StatusOK, `scope="row">`+name+`</th>`)
	}
}
