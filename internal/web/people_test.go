package web_test

import (
	"strings"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/wire"
)

// people: an owner invites a viewer of one study, who accepts the link in another browser, sees that study and
// nothing else, and loses access when it is revoked. The link works once.
func people(s *stage, b *browser.Browser) {
	mine, other := s.open(lamps(), wire.Settings{K: 3}), s.draft(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Desktop())
	s.signIn(w, s.secret)
	w.Go(s.results(mine))
	w.Click("#more summary")
	w.Click("#do-invite")
	w.WaitText("h1", "People")
	w.Type("#name", "Vera")
	press(w, "form[action='/people'] button")
	w.WaitText("#invited", "Send this link")
	w.Accessible()
	link := browser.Eval[string](w, "document.querySelector('#invitation').value")
	if !strings.HasPrefix(link, s.url+"/join/") {
		s.Fatalf("the link is %s", link)
	}

	guest := b.Open(s.T, browser.Phone())
	guest.Expect("404")
	guest.Go(link)
	guest.WaitText("h1", "You are invited")
	guest.Accessible()
	guest.Tap("main button")
	guest.Wait("location.pathname === '/studies/" + mine + "'")
	guest.WaitText("h1", "Study")
	guest.Go(s.url)
	guest.Wait("document.querySelectorAll('.study').length === 1")
	guest.Go(s.results(other))
	guest.WaitText("h1", "Study not found")
	guest.Go(link)
	guest.WaitText("h1", "This invitation is no longer valid")

	w.Go(s.url + "/people")
	w.WaitText("h1", "People")
	press(w, "input[value=Vera] + button")
	w.WaitText("#did", "Access is revoked.")
	guest.Go(s.results(mine))
	guest.WaitText("button", "Sign in")
	press(w, "input[value=owner] + button")
	w.WaitText("#did", "This is the last owner. Invite another owner first.")

	w.Go(s.url + "/audit")
	w.Wait("document.querySelector('tbody th').textContent === 'Revoked access'")
	w.Wait("document.body.innerText.includes('“Vera”') || document.body.innerText.includes('Vera')")
	w.Accessible()
}

// expiredInvitation: an invitation that has expired is listed as such, and cannot be accepted.
func expiredInvitation(s *stage, b *browser.Browser) {
	secret, token := access.Invite("Late", access.Owner, "", time.Now().Add(-access.InvitedFor))
	s.must(s.store.AddToken(s.Context(), token))
	w := b.Open(s.T, browser.Phone())
	w.Expect("404")
	s.signIn(w, s.secret)
	w.Go(s.url + "/people")
	w.Wait("document.body.innerText.includes('Invitation expired')")
	w.Go(s.url + "/join/" + secret)
	w.WaitText("h1", "This invitation is no longer valid")
	w.Accessible()
	w.Dark(true)
	w.Readable()
}
