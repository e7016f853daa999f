package web_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// widget serves examples/widget.html, with a study in it, on another site than the pages. Its
// origin is known before the study is created.
func widget(t *testing.T) (origin string, show func(address string)) {
	t.Helper()
	page := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent) // no icon
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	text := testsupport.Value(os.ReadFile("../../examples/widget.html")).OrFail(t)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1), func(address string) {
		page = strings.Replace(string(text), "http://127.0.0.1:8080/s/STUDY", address, 1)
		if !strings.Contains(page, address) {
			t.Error("the example has no address of a study")
		}
	}
}

// framed: the page works in a frame on another site and recognises a returning respondent, by local
// storage or, over TLS, by a cookie.
func framed(t *testing.T, b *browser.Browser, serve func(http.Handler) *httptest.Server, forget string) {
	t.Helper()
	origin, show := widget(t)
	s := beginWith(t, serve, origin)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 3})
	show(s.page(id))
	w := b.Open(t, browser.Desktop())
	for visit := range 2 {
		w.Go(origin)
		frame := w.Frame(s.url)
		shown(frame, visit+1)
		browser.Eval[bool](frame, "document.querySelector('.pick').click(), true")
		shown(frame, visit+2)
		s.kinds(id, slices.Repeat([]study.Kind{study.Answered}, visit+1)...)
		browser.Eval[bool](frame, forget+", true")
	}
	s.same(s.answers(id))
}

// plainFrame: without JavaScript and cookies, the forms contain the respondent.
func plainFrame(t *testing.T, b *browser.Browser) {
	t.Helper()
	origin, show := widget(t)
	s := begin(t, origin)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 3, Grace: 60})
	show(s.page(id))
	w := b.Open(t, browser.Desktop())
	w.Go(origin)
	frame := w.Frame(s.url)
	frame.NoScript()
	browser.Eval[bool](frame, "window.before = true, location.reload(), true")
	frame.Wait("!window.before")
	for asked := 1; asked < 3; asked++ {
		plainly(frame, asked)
		browser.Eval[bool](frame, "document.querySelector('.pick').click(), true")
		plainly(frame, asked+1)
	}
	browser.Eval[bool](frame, "document.querySelector('#undo button').click(), true")
	plainly(frame, 2)
	s.same(s.kinds(id, study.Answered))
}
