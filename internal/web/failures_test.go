package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
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

// A full store cannot be written or read for now.
type full struct{ *sqlite.Store }

func (full) Study(context.Context, string) (study.Study, error) {
	return study.Study{}, fmt.Errorf("%w (disk full)", study.ErrUnavailable)
}

// TestUnavailable: while the store is unavailable, pages of respondents and owners reply with 503, and say when to retry.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.draft(lamps(), wire.Settings{K: 3})
	studies := testsupport.Value(wiring.New(t.Context(), full{s.store}, wiring.Options{})).OrFail(s)
	pages := web.Handler(studies, web.Options{Tokens: s.store, Audit: s.store})
	for _, path := range []string{"/s/" + id, "/s/" + id + "/welcome", "/studies/" + id, "/studies/" + id + "/edit"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("Cookie", "session="+s.session(s.secret))
		w := httptest.NewRecorder()
		pages.ServeHTTP(w, r)
		if w.Code == http.StatusSeeOther {
			continue // to a page of this list
		}
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "30" {
			t.Errorf("%s: %d, %v", path, w.Code, w.Header())
		}
	}
}

// An unreadable store fails to read catalogues.
type unreadable struct{ *sqlite.Store }

func (unreadable) Catalogue(context.Context, string) ([]byte, error) {
	return nil, errors.New("the disk cannot be read")
}

// TestExportFails: a failed export is aborted and logged, without the ID of the study, which lets
// anyone answer.
func TestExportFails(t *testing.T) {
	t.Parallel()
	s := begin(t)
	id := s.draft(lamps(), wire.Settings{K: 3})
	studies := testsupport.Value(wiring.New(t.Context(), unreadable{s.store}, wiring.Options{})).OrFail(s)
	var log bytes.Buffer
	pages := web.Handler(studies, web.Options{Tokens: s.store, Audit: s.store, Log: slog.New(slog.NewTextHandler(&log, nil))})
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/studies/"+id+"/export/log", nil)
	request.Header.Set("Cookie", "session="+s.session(s.secret))
	func() {
		defer func() {
			if got := recover(); got != http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this
				t.Errorf("the export ends with %v", got)
			}
		}()
		pages.ServeHTTP(httptest.NewRecorder(), request)
	}()
	if text := log.String(); !strings.Contains(text, "an export failed") ||
		!strings.Contains(text, "study="+access.Pseudonym(id)) || strings.Contains(text, id) {
		t.Errorf("the log is %s", text)
	}
}

// deadline: an owner sets a deadline and a limit of answers while a study is open. At the deadline the study ends for
// respondents and on the owner's page, and the owner reopens it without the deadline.
func deadline(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := s.owned(b, id, browser.Desktop())
	w.Go(s.results(id) + "/edit")
	w.WaitText("h1", "Edit study")
	fill(w, "#budget", "500")
	browser.Eval[bool](w, `(() => {
		const field = document.querySelector('#deadline');
		field.value = '2001-01-01T10:00';
		field.dispatchEvent(new Event('change', { bubbles: true }));
		return true;
	})()`)
	w.Expect("422")
	press(w, "button[value=keep]")
	w.WaitText("#deadline-problem", "The deadline must be in the future.")
	soon := time.Now().Add(3 * time.Second).UTC().Truncate(time.Second)
	settings := wire.Settings{K: 3, Budget: new(500), Deadline: &soon, Assume: "linear", Fallback: new(0.0)}
	before := testsupport.Value(s.owner.Study(s.Context(), id)).OrFail(s)
	testsupport.Value(s.owner.Change(s.Context(), id, before.Version, wire.Change{Settings: &settings})).OrFail(s)
	w.Go(s.results(id))
	w.Wait("document.querySelector('.badges').innerText.includes('Deadline passed')")
	respondent := b.Open(s.T, browser.Phone())
	respondent.Go(s.page(id))
	respondent.Wait("document.querySelector('h1').innerText.startsWith('Thank')")
	w.Go(s.results(id) + "/edit")
	fill(w, "#retention_days", "30") // also after the end
	press(w, "button[value=keep]")
	w.Wait("document.querySelector('#settings')?.innerText.includes('Days until names are removed\\n30')")
	w.Click("#do-open")
	w.WaitText("#did", "The study is open. Anyone with the link can answer.")
	if st, err := s.owner.Study(s.Context(), id); err != nil || st.State != "open" || st.Settings.Deadline != nil ||
		*st.Settings.Budget != 500 || *st.Settings.Keep != 30 {
		s.Errorf("%+v, %v", st, err)
	}
}
