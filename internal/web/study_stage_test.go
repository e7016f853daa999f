package web_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"bestpick/crowd"
	"bestpick/internal/browser"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// results returns the address of a study's page for owners.
func (s *stage) results(id string) string { return s.url + "/studies/" + id }

// session signs in with a token and returns the session cookie, or an empty string if the token is
// rejected.
func (s *stage) session(secret string) string {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+"/sign-in",
		strings.NewReader(url.Values{"token": {secret}}.Encode()))
	s.must(err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := http.DefaultTransport.RoundTrip(request)
	testsupport.NoError(s, err)
	s.must(reply.Body.Close())
	for _, cookie := range reply.Cookies() {
		if cookie.Name == "session" {
			return cookie.Value
		}
	}
	return ""
}

// signIn signs in a window with a token, by default the owner's.
func (s *stage) signIn(w *browser.Window, secret string) {
	s.Helper()
	w.Cookie(s.url, "session", s.session(secret))
}

// likes returns the utilities of the lamps' features.
func likes() map[string]float64 {
	return map[string]float64{
		"price": -0.02, "lumen": 0.003, "dimmable": 0.6, "colour=brass": 0.9, "material=glass": 1.2,
		"material=paper": -1,
	}
}

// people has simulated people answer a study of lamps, up to the given number of answers or until
// it is done.
func (s *stage) people(id string, answers int) {
	s.Helper()
	lamps := bytes.NewReader([]byte(lamps()))
	encoded, err := archive.OpenUpload(read.Upload{Name: "lamps.csv", Contents: lamps, Size: lamps.Size()}, catalogue.Options{}, 0)
	s.must(err)
	theta := testsupport.Value(encoded.Encoding.Theta(likes())).OrFail(s)
	taste := crowd.NewMNL(encoded.Arms, theta, rand.New(rand.NewPCG(7, 7)))
	for n := range answers {
		lease, err := s.studies.Dispatch.Ask(s.Context(), id, fmt.Sprint("person ", n%20), "")
		for try := 0; err == study.ErrNoQuestion && try < 100; try++ { //nolint:errorlint // the service returns it unwrapped
			time.Sleep(20 * time.Millisecond)
			lease, err = s.studies.Dispatch.Ask(s.Context(), id, fmt.Sprint("person ", n%20), "")
		}
		if st, _ := s.studies.Store.Study(s.Context(), id); st.State == study.Done {
			return
		}
		s.must(err)
		s.must(s.studies.Dispatch.Answer(s.Context(), lease.Ticket, taste.Pick(lease.Shown, lease.Picks())))
	}
}

// answered opens a study of lamps with a number of counted answers.
func (s *stage) answered(answers int) (id string) {
	s.Helper()
	id = s.open(lamps(), quick())
	s.people(id, answers)
	s.counted(id, answers)
	return id
}

// counted waits until the given number of answers count.
func (s *stage) counted(id string, answers int) {
	s.Helper()
	for range 1000 {
		progress := testsupport.Value(s.studies.Overview.Progress(s.Context(), id)).OrFail(s)
		if progress.Verdict.Answered >= answers || progress.Study.State == study.Done {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.Fatalf("timed out waiting for %d answers to count", answers)
}

// quick returns settings with which answers count at once.
func quick() wire.Settings { return wire.Settings{K: 3, Grace: -1, Seed: 3} }
