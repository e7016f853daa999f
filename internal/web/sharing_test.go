package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/wire"
)

// shared: from a file without ids to a link to share takes fewer than ten interactions. The page warns that the
// link only works on this computer, and its button copies the link.
func shared(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	interactions := 0
	count := func() { interactions++ }
	w.Go(s.url + "/new")
	count()
	w.Upload("#catalogue", s.file("headlines.csv", headlines()))
	w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 3")
	count()
	press(w, "button[value=open]")
	w.WaitText("h1", "Your study is open. Share it now")
	if link := browser.Eval[string](w, "document.querySelector('#link').value"); !strings.HasPrefix(link, s.url+"/s/") {
		s.Errorf("the link is %s", link)
	}
	w.Wait("document.querySelector('.share .warn')?.innerText.includes('this computer only')")
	w.Wait("/It takes about \\d+ min\\./.test(document.querySelector('#invitation').value) && document.querySelector('.poster .code')")
	w.Accessible()
	count()
	w.Tap("[data-copy='#link']")
	if interactions >= 10 {
		s.Errorf("%d interactions", interactions)
	}
	if wide := browser.Eval[int](w, "document.documentElement.scrollWidth"); wide > 360 {
		s.Errorf("the page is %d pixels wide", wide)
	}
}

// primary: the only coloured button, which is the first, is to open a draft, to share an open study, and to see the
// results of one that is done. Delete is in a menu.
func primary(s *stage, b *browser.Browser) {
	id := s.draft(lamps(), wire.Settings{K: 3})
	w := s.owned(b, id, browser.Desktop())
	coloured := func(want string) {
		s.Helper()
		w.Wait("[...document.querySelectorAll('#manage .button:not(.outline)')].map((each) => each.id).join() === '" + want +
			"' && document.querySelector('#manage .button').id === '" + want + "'")
	}
	coloured("do-open")
	w.Wait("!document.querySelector('#do-report')")
	w.Click("#do-open")
	w.WaitText("h1", "Your study is open. Share it now")
	w.Go(s.results(id))
	coloured("do-share")
	w.Wait("!document.querySelector('#do-delete').checkVisibility()")
	testsupport.Value(s.owner.Close(s.Context(), id)).OrFail(s)
	coloured("do-report")
}

// TestPublicURL: links, and the code for websites, have the configured address, without a warning.
func TestPublicURL(t *testing.T) {
	s := begin(t)
	id := s.open(lamps(), wire.Settings{K: 3})
	public := testsupport.Value(url.Parse("https://studies.example.com")).OrFail(s)
	pages := web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store, PublicURL: public})
	for _, test := range []struct {
		pages *web.Pages
		link  string
		warns bool
	}{
		{pages, "https://studies.example.com/s/" + id, false},
		{web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store}), "http://localhost:8080/s/" + id, true},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost:8080/studies/"+id+"/share", nil)
		r.AddCookie(&http.Cookie{Name: "session", Value: s.session(s.secret)}) //nolint:gosec // a request cookie, without attributes
		w := httptest.NewRecorder()
		test.pages.ServeHTTP(w, r)
		if text := w.Body.String(); !strings.Contains(text, `value="`+test.link+`"`) ||
			!strings.Contains(text, "&lt;bestpick-question server=&#34;"+strings.TrimSuffix(test.link,
				"/s/"+id)+"&#34; study=&#34;"+id+"&#34;") ||
			strings.Contains(text, "works on this computer only") != test.warns {
			t.Errorf("without %s, or with a wrong warning:\n%s", test.link, text)
		}
	}
}

// TestUnknownPaths: browsers get a page for unknown paths, and API clients a problem.
func TestUnknownPaths(t *testing.T) {
	s := begin(t)
	rest := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	unknown := web.Handler(s.studies, web.Options{}).Unknown(rest)
	for _, test := range []struct {
		path, accept string
		want         int
	}{
		{"/nonsense", "text/html,*/*", http.StatusNotFound},
		{"/nonsense", "application/json", http.StatusTeapot},
		{"/api/v1/nonsense", "text/html,*/*", http.StatusTeapot},
		{"/docs", "text/html,*/*", http.StatusTeapot},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, test.path, nil)
		r.Header.Set("Accept", test.accept)
		unknown.ServeHTTP(w, r)
		if w.Code != test.want || w.Code == http.StatusNotFound && !strings.Contains(w.Body.String(), "Page not found") {
			t.Errorf("%s with %s: %d\n%s", test.path, test.accept, w.Code, w.Body)
		}
	}
}

// atOnce: more picks than a question allows are a problem at their field before the form is sent.
func atOnce(s *stage, b *browser.Browser) {
	w := b.Open(s.T, browser.Desktop())
	s.enter(w, s.secret, "/new", "New study")
	w.Wait("document.documentElement.classList.contains('scripted')")
	fill(w, "#table", "id,x\n1,1\n2,2\n3,4\n")
	w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 3")
	fill(w, "#picks", "3")
	browser.Eval[bool](w, "document.querySelector('#picks').dispatchEvent(new Event('change', { bubbles: true })), true")
	w.WaitText("#picks-problem", "Enter a whole number from 1 to 2.")
	fill(w, "#picks", "1")
	browser.Eval[bool](w, "document.querySelector('#picks').dispatchEvent(new Event('change', { bubbles: true })), true")
	w.Wait("document.querySelector('#picks-problem').hidden")
}
