package web_test

import (
	"bestpick/internal/browser"
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

// plainForm: the preview shows whether respondents see attributes. For a product, hiding them is
// rejected at the field.
func plainForm(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/new", "New study")
	w.Upload("#catalogue", s.file("arms.yaml", "price: [10, 12, 15]\nbrand: [acme, zenith]\n"))
	w.Wait(attributes + " === 3")
	fill(w, "#plain_cards", "true")
	w.Wait(attributes + " === 0")
	press(w, "button[value=keep]")
	w.WaitText("#plain_cards-problem", "These do not go together: cards without attributes, and combinations of levels.")
	w.Upload("#catalogue", s.file("lamps.csv", lamps()))
	w.Wait("document.querySelector('.sample').textContent.includes('Orb')")
	press(w, "button[value=keep]")
	made := s.created(w)
	if !made.Settings.HideAttributes {
		s.Errorf("%+v", made)
	}
	w.Go(s.results(made.ID) + "/edit")
	w.Wait("document.querySelector('#plain_cards').value === 'true' && " + attributes + " === 0")
	fill(w, "#plain_cards", "false")
	w.Wait(attributes + " === 3")
	press(w, "button[value=open]")
	if made = s.created(w); made.Settings.HideAttributes {
		s.Errorf("%+v", made)
	}
	w.Go(s.results(made.ID) + "/edit")
	w.Wait("document.querySelector('#plain_cards').disabled")
}
