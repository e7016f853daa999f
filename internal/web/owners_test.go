package web_test

import (
	"fmt"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// TestOwners: owners and viewers use their pages in a real browser. All subtests share one browser.
func TestOwners(t *testing.T) {
	t.Parallel()
	b := browser.Start(t)
	for name, test := range map[string]func(*stage, *browser.Browser){
		"sign in": signIn, "revoked": revoked, "list": list, "pages of the list": paged,
		"dropped": dropped, "dropped pair": droppedPair, "gaps": gaps, "templates": startedFrom, "pasted": pasted, "sheets": sheets,
		"two steps": twoSteps, "two owners": twoOwners, "plain cards": plainForm, "hostile": hostileOwners,
		"rests": rests, "presented": presentedPage, "card content": cardContent, "profiled": profiled, "shared": shared,
		"at once": atOnce, "primary": primary, "people": people, "expired invitation": expiredInvitation, "deadline": deadline,
		"webhook": hooked, "panel": panelled, "broken pictures": brokenPictures,
		"failures": failurePages, "followed": followed, "previewed": previewed,
		"compared": compared, "looks": ownerLooks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(begin(t), b)
		})
	}
}

// token creates a token.
func (s *stage) token(name string, role access.Role) string {
	s.Helper()
	secret, token := access.New(name, role, time.Now())
	s.must(s.store.AddToken(s.Context(), token))
	return secret
}

// enter signs in with a token, and waits for the page with a title.
func (s *stage) enter(w *browser.Window, secret, path, title string) {
	s.Helper()
	w.Go(s.url + path)
	browser.Eval[bool](w,
		fmt.Sprintf("document.querySelector('#token').value = '%s', document.querySelector('form').submit(), true", secret))
	w.WaitText("h1", title)
}

// signIn: a wrong token is rejected, a valid one leads to the requested page, and signing out ends
// the session.
func signIn(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	w.Expect("401")
	w.Go(s.url + "/?before=")
	w.WaitText("h1", "bestpick")
	w.Type("#token", "bestpick_"+"WRONG")
	w.Keys("\r")
	w.WaitText("#token-problem", "This token is not valid. It may be incomplete or revoked.")
	w.Type("#token", s.owner.Token)
	w.Keys("\r")
	w.WaitText("h1", "Studies")
	w.WaitText("h2", "No study yet")
	if kept := browser.Eval[string](w, "document.cookie"); kept != "" {
		s.Errorf("JavaScript can read the cookie %s", kept)
	}
	w.Tap(".signed-in button")
	w.WaitText("h1", "bestpick")
	w.Go(s.url)
	w.WaitText("button", "Sign in")
}

// revoked: a token that is revoked while its pages are open loses access at once, and no input is
// lost.
func revoked(s *stage, b *browser.Browser) {
	secret := s.token("Anna", access.Owner)
	w, form := b.Open(s.T, browser.Desktop()), b.Open(s.T, browser.Phone())
	s.enter(w, secret, "/", "Studies")
	s.enter(form, secret, "/new", "New study")
	fill(form, "#name", "Half done")
	fill(form, "#table", "id,x\n1,1\n2,2\n3,4\n")
	form.Wait("document.querySelectorAll('.sample .card').length === 3")
	s.must(s.owner.RevokeToken(s.Context(), "Anna"))
	lookAgain(w)
	w.Wait("location.pathname === '/sign-in'")
	w.Go(s.url)
	w.WaitText("button", "Sign in")
	press(form, "button[value=open]")
	form.Wait("!document.querySelector('#signed-out').hidden && document.querySelector('#name').value === 'Half done'")
	if all, err := s.studies.Store.List(s.Context(), "", 1); err != nil || len(all) > 0 {
		s.Errorf("there is a study, %v", err)
	}
}

// lookAgain has the list update at once, like when the page becomes visible.
func lookAgain(w *browser.Window) {
	w.Helper()
	browser.Eval[bool](w, "document.dispatchEvent(new Event('visibilitychange'))")
}

// list: the list shows the current state, and updates.
func list(s *stage, b *browser.Browser) {
	draft := s.draft(lamps(), wire.Settings{K: 3})
	over := s.open(lamps(), wire.Settings{K: 3})
	testsupport.Value(s.owner.Close(s.Context(), over)).OrFail(s)
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.owner.Token, "/", "Studies")
	badge := func(at, want string) {
		s.Helper()
		w.WaitText(".study:nth-child("+at+") .badge", want)
	}
	badge("1", "Closed")
	badge("2", "Draft")
	browser.Eval[bool](w, "document.querySelectorAll('.study h2 a')[1].focus(), true")
	testsupport.Value(s.owner.Open(s.Context(), draft)).OrFail(s)
	badge("2", "Open")
	next := s.draft(lamps(), wire.Settings{K: 3})
	lookAgain(w)
	w.Wait("document.querySelectorAll('.study').length === 3")
	if focused := browser.Eval[string](w, "document.activeElement.pathname"); focused != "/studies/"+draft {
		s.Errorf("the focus moved to %s", focused)
	}
	s.must(s.owner.Delete(s.Context(), next))
	lookAgain(w)
	w.Wait("document.querySelectorAll('.study').length === 2")
}

// paged: the list has pages of twenty studies.
func paged(s *stage, b *browser.Browser) {
	arms := testsupport.Value(s.studies.Live.Catalogue(s.Context(), s.draft(lamps(), wire.Settings{K: 3}))).OrFail(s)
	for range 20 {
		testsupport.Value(s.studies.Owner.Create(s.Context(), "Another", "", study.Settings{}, arms)).OrFail(s)
	}
	view := browser.Phone()
	view.NoScript = true
	w := b.Open(s.T, view)
	s.enter(w, s.owner.Token, "/", "Studies")
	w.Wait("document.querySelectorAll('.study').length === 20")
	w.Tap(".pager a")
	w.WaitText("h1", "Older studies")
	w.WaitText(".study h2", "Study")
	w.Tap(".pager a")
	w.WaitText("h1", "Studies")
}
