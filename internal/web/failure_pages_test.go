package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"bestpick/internal/browser"
	"bestpick/internal/middleware"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/wire"
)

// An unavailable store fails to read studies.
type unavailable struct{ *sqlite.Store }

func (unavailable) Study(context.Context, string) (study.Study, error) {
	return study.Study{}, errors.New("the database does not respond")
}

// failurePages: the pages of requests over the rate limit and of a store that fails are accessible in light and dark
// mode and fit a phone. Owners can try again at the same address.
func failurePages(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	pages := web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store})
	limited := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/assets/") {
			pages.ServeHTTP(w, r)
			return
		}
		pages.TooMany(w, r, time.Minute)
	})
	studies := testsupport.Value(wiring.New(s.Context(), unavailable{s.store}, wiring.Options{})).OrFail(s)
	w := b.Open(s.T, browser.Phone())
	w.Expect("429")
	w.Expect("500")
	w.Expect("503")
	for title, handler := range map[string]http.Handler{
		"A little too fast": limited, "Something went wrong": web.Handler(studies, web.Options{Tokens: s.store, Audit: s.store}),
	} {
		server := httptest.NewServer(middleware.Chain(handler, middleware.Headers(middleware.Policy{})))
		s.Cleanup(server.Close)
		w.Cookie(server.URL, "session", s.session(s.secret))
		for _, path := range []string{"/s/" + id, "/studies/" + id} {
			w.Go(server.URL + path)
			w.WaitText("h1", title)
			w.Accessible()
			w.Dark(true)
			w.Readable()
			w.Dark(false)
			fits(w, title, browser.Phone().Width)
		}
		if again := browser.Eval[string](w, "document.querySelector('.state .button').href"); again != server.URL+"/studies/"+id {
			s.Errorf("%s: the button leads to %s", title, again)
		}
	}
}
