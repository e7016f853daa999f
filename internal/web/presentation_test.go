package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// presentedPage: an owner sets welcome, consent, thanks, an address to continue at and a pale colour. Respondents see
// them in their language, must tick the box, and continue with their ID. The colour is readable.
func presentedPage(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 1, Grace: -1})
	owner := s.owned(b, id, browser.Phone())
	owner.Tap("#more summary")
	owner.Tap("#do-present")
	owner.WaitText("h1", "Welcome and thank-you page")
	fill(owner, "#welcome-en", "We are the lamp club.")
	fill(owner, "#consent-en", "I agree.")
	fill(owner, "#welcome-de", "Wir sind der Lampenclub.")
	fill(owner, "#consent-de", "Ich stimme zu.")
	fill(owner, "#thanks-en", "You are bright!")
	fill(owner, "#redirect", s.url+"/favicon.ico?id={respondent}")
	fill(owner, "#privacy", s.url+"/privacy")
	fill(owner, "#accent", "#ffee88")
	press(owner, "input[name=accented]")
	owner.Accessible()
	if wide := browser.Eval[int](owner, "document.documentElement.scrollWidth"); wide > 360 {
		s.Errorf("the page is %d pixels wide", wide)
	}
	press(owner, "form.set-up .button")
	done(owner, "The page of respondents is saved")

	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id) + "?lang=de")
	w.WaitText("h1", "Willkommen")
	w.Wait("document.body.innerText.includes('Lampenclub')")
	w.Go(s.page(id))
	w.WaitText("h1", "Welcome")
	w.Wait("document.querySelector('.privacy a').href.endsWith('/privacy') && document.querySelector('.begin .button')")
	w.Accessible()
	w.Dark(true)
	w.Readable()
	w.Dark(false)
	w.Tap(".begin .button")
	w.Wait("document.querySelector('.begin :invalid')")
	w.Tap(".begin input[type=checkbox]")
	w.Tap(".begin .button")
	shown(w, 1)
	w.Accessible()
	w.Tap(nth(1))
	w.WaitText("h1", "Thank you!")
	w.Wait("document.body.innerText.includes('You are bright!')")
	outcome := s.kinds(id, study.Answered)[0]
	w.Wait("location.pathname.endsWith('icon.svg') || document.querySelector('.state .button')?.href.endsWith('?id=" +
		outcome.Respondent + "')")
	w.Wait("location.pathname.endsWith('icon.svg')")
}

// TestWelcomeWithoutScript: without JavaScript and cookies, the page does not ask before the respondent has given
// consent, and then keeps that in its forms. Members of a panel continue with their name.
func TestWelcomeWithoutScript(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 1, Grace: -1})
	page := &wire.Page{
		Texts:    map[string]wire.PageTexts{"en": {Welcome: "Hi <b>there</b>", Consent: "Yes"}},
		Redirect: "https://example.com/?id={respondent}",
	}
	current := func() int {
		st := testsupport.Value(s.studies.Store.Study(t.Context(), id)).OrFail(s)
		return st.Version
	}
	testsupport.Value(s.owner.Change(t.Context(), id, current(), wire.Change{Page: page})).OrFail(s)
	members := testsupport.Value(s.owner.AddMembers(t.Context(), id, wire.NewMember{Name: "Anna & Co"})).OrFail(s)
	for _, cookies := range []bool{false, true} {
		p := s.person(cookies)
		p.get(s.url + members[0].Link)
		if cookies { // Anna has answered
			p.send(s.page(id)+"/begin", url.Values{"consent": {"true"}, "key": {members[0].Key}})
			p.sees(http.StatusOK, "https://example.com/?id=Anna&#43;%26&#43;Co")
			continue
		}
		p.sees(http.StatusOK, "Hi &lt;b&gt;there&lt;/b&gt;")
		if strings.Contains(p.text, `id="question"`) {
			t.Error("a question is asked before the consent")
		}
		p.send(s.page(id)+"/begin", url.Values{"key": {members[0].Key}})
		p.sees(http.StatusUnprocessableEntity, "Please tick the box")
		p.send(s.page(id)+"/begin", url.Values{"key": {members[0].Key}, "consent": {"true"}})
		p.sees(http.StatusOK, "Question 1 of 1")
		p.send(s.page(id)+"/answer", url.Values{"pick": {"0"}})
		p.sees(http.StatusOK, `content="10;url=https://example.com/?id=Anna&#43;%26&#43;Co"`)
	}
	for _, wrong := range []wire.Page{
		{Redirect: "javascript:alert(1)"},
		{Privacy: "ftp://x"},
		{Accent: "red"},
		{Logo: "../x"},
		{Texts: map[string]wire.PageTexts{"e n": {}}},
	} {
		if _, err := s.owner.Change(t.Context(), id, current(), wire.Change{Page: &wrong}); err == nil {
			t.Errorf("%+v is accepted", wrong)
		}
	}
}
