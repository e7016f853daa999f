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

// attributes is a script that counts the lists of attributes on a page.
const attributes = "document.querySelectorAll('.attributes').length"

// plainCards: if the owner hides attributes, no question shows them to respondents, but the owner
// sees them.
func plainCards(s *stage, b *browser.Browser) {
	id := s.open(drawn(), wire.Settings{K: 3, Plain: true})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	for number := 1; number <= 3; number++ {
		shown(w, number)
		if n := browser.Eval[int](w, attributes); n != 0 {
			s.Errorf("question %d shows %d lists of attributes", number, n)
		}
		if has := browser.Eval[bool](w, "/glass|steel|paper/.test(document.documentElement.outerHTML)"); has {
			s.Errorf("question %d contains attributes", number)
		}
		w.WaitText(".card .text", "A lamp for every room")
		w.Tap(nth(1))
	}
	owner := b.Open(s.T, browser.Desktop())
	s.signIn(owner, s.secret)
	owner.Go(s.results(id))
	owner.Wait("/glass/.test(document.querySelector('.arms').textContent) && " +
		"/do not see them/.test(document.querySelector('.list').textContent)")
}

// plainForm: respondents of a study with plain cards see no attributes in the preview of its form.
func plainForm(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.signIn(w, s.secret)
	w.Go(s.results(s.draft(lamps(), wire.Settings{K: 3, Plain: true})) + "/edit")
	w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('Orb') && !document.querySelector('#preview iframe').srcdoc.includes('lumen')")
	fill(w, "#plain_cards", "false")
	w.Wait("document.querySelector('#preview iframe')?.srcdoc.includes('lumen')")
}

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
		if view == browser.Desktop() { // both previews are in view beside the last fields
			owner.Wait("document.querySelector('.card-column:last-child').scrollIntoView({ block: 'center' }), " +
				"[...document.querySelectorAll('.framed')].every((each) => each.getBoundingClientRect().top >= 0 && " +
				"each.getBoundingClientRect().bottom <= innerHeight)")
		}
		owner.Accessible()
		if wide := browser.Eval[int64](owner, "document.documentElement.scrollWidth"); wide > view.Width {
			s.Errorf("the page is %d pixels wide", wide)
		}
		press(owner, "form.set-up .button")
		done(owner, "Saved.")
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

// TestLabelColumn: the page of a study shows the columns of titles and pictures under the names that they have in the owner's file.
func TestLabelColumn(t *testing.T) {
	s := begin(t)
	for _, name := range []string{"title", "Name", "headline", "label"} {
		id := s.draft(name+",price\nOrb,10\nReed,20\nFold,40\n", wire.Settings{K: 2})
		p := s.signedInPerson()
		p.get(s.results(id) + "/edit")
		p.sees(http.StatusOK, `scope="row" dir="auto">`+name+`</th>`)
	}
	p := s.signedInPerson()
	p.get(s.results(s.draft("name,picture\nOrb,orb.png\nReed,reed.png\n", wire.Settings{K: 2})) + "/edit")
	p.sees(http.StatusOK, `scope="row" dir="auto">picture</th>`)
}

// headlines returns arms whose values are longer than the names of their columns.
func headlines() string {
	var arms strings.Builder
	arms.WriteString("headline,tone,topic,reading level\n")
	for i := range 6 {
		fmt.Fprintf(&arms, "%d habits that quietly drain your budget%s,%s,%s,%s\n", i+2, strings.Repeat(" every day", i),
			[]string{"playful", "investigative", "serious"}[i%3],
			[]string{"housing", "Kraftfahrzeughaftpflicht"}[i%2], []string{"undergraduate", "elementary"}[i%2])
	}
	return arms.String()
}

// broken is a script that returns the words of cards that are broken into two lines, without hyphenation.
const broken = `(() => {
	const found = [];
	const walker = document.createTreeWalker(document.querySelector('.cards'), NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		for (const { 0: word, index } of walker.currentNode.data.matchAll(/\S+/g)) {
			const range = document.createRange();
			range.setStart(walker.currentNode, index);
			range.setEnd(walker.currentNode, index + word.length);
			if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) found.push(word);
		}
	}
	return found;
})()`

// compounds returns arms with long words in all texts.
func compounds() string {
	return `label,description,Elektrizitätsversorgungsunternehmen
Donaudampfschifffahrtsgesellschaft,Mit Kraftfahrzeughaftpflichtversicherung im Preis,Rechtsschutzversicherungsgesellschaften
Arbeiterunfallversicherungsgesetz,Für Nahrungsmittelunverträglichkeiten und mehr,Betäubungsmittelverschreibung
Straßenentwässerungsinvestitionen,Eine Aufmerksamkeitsdefizitstörung ist kein Hindernis,kurz
`
}

// wholeWords: the cards of a small phone break no words and do not overflow. Text with a word that is wider than its
// card is smaller, but not too small to read.
func wholeWords(s *stage, b *browser.Browser) {
	id := s.open(headlines(), wire.Settings{K: 4})
	long := s.open(compounds(), wire.Settings{K: 3})
	for _, width := range []int64{320, 360} {
		w := b.Open(s.T, browser.View{Width: width, Height: 640, Touch: true})
		for _, page := range []string{s.page(id), s.page(long)} {
			w.Go(page)
			shown(w, 1)
			w.Wait("document.documentElement.classList.contains('scripted')")
			s.unbroken(w, width)
			w.Tap(nth(1))
			shown(w, 2)
			s.unbroken(w, width)
		}
		if small := browser.Eval[[]float64](w,
			"[...document.querySelectorAll('.card *')].map((each) => parseFloat(getComputedStyle(each).fontSize)).filter((size) => "+
				"size < 11)"); len(small) > 0 {
			s.Errorf("at %d pixels there are texts of %v pixels", width, small)
		}
	}
	w := b.Open(s.T, browser.Desktop())
	w.Go(s.page(id))
	shown(w, 1)
	levels := browser.Eval[[]int](w, `['tone', 'topic', 'reading level'].map((name) =>
		new Set([...document.querySelectorAll('.attributes dt')].filter((each) => each.innerText === name).map((each) => each.getBoundingClientRect().top)).size)`)
	for at, rows := range levels {
		if rows != 1 {
			s.Errorf("attribute %d has %d different heights", at, rows)
		}
	}
}

// unbroken fails if the cards break words or overflow.
func (s *stage) unbroken(w *browser.Window, width int64) {
	s.Helper()
	if words := browser.Eval[[]string](w, broken); len(words) > 0 {
		s.Errorf("at %d pixels these words are broken: %q", width, words)
	}
	if wide := browser.Eval[int64](w, "document.documentElement.scrollWidth"); wide > width {
		s.Errorf("at %d pixels the page is %d pixels wide", width, wide)
	}
	if over := browser.Eval[[]string](w,
		"[...document.querySelectorAll('.card, .card *')].filter((each) => each.checkVisibility() && "+
			"each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0).map((each) => each.innerText)"); len(over) > 0 {
		s.Errorf("at %d pixels these texts overflow: %q", width, over)
	}
}

// pictures: on a phone a picture is as wide as its card, and its button enlarges it without an answer. A picture
// that cannot be loaded leaves no gap.
func pictures(s *stage, b *browser.Browser) {
	id := s.open(drawn(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	if wide := browser.Eval[float64](w, "document.querySelector('.picture').offsetWidth"); wide < 280 {
		s.Errorf("the picture is %v pixels wide", wide)
	}
	w.Tap(".enlarge")
	w.Wait("document.querySelector('#enlarged').open && document.querySelector('#enlarged img').naturalWidth > 0")
	w.Accessible()
	w.Tap("#enlarged button")
	w.Wait("!document.querySelector('#enlarged').open")
	s.kinds(id)
	w.Expect("blocked")
	browser.Eval[bool](w, "document.querySelector('.picture img').src = 'data:image/png;base64,AAAA', true")
	w.Wait("document.querySelectorAll('.picture img').length === 2 && document.querySelector('.picture').offsetHeight === 0")
	w.Tap(nth(1))
	w.Wait("document.querySelector('.card[data-picked]')")
	shown(w, 2)
}
