package web_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/crowd"
	"bestpick/examples"
	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/browser"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/middleware"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/overview"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// A stage is a service with its API and its pages, on a new store.
type stage struct {
	*testing.T

	store   *sqlite.Store
	studies *wiring.Service
	url     string
	prompt  string
	owner   *client.Client
	secret  string       // the owner's token
	losing  atomic.Int32 // the number of answers that are recorded without a reply
	slow    atomic.Bool  // delays questions
}

// begin returns a stage that is closed when the test ends. The given origins may frame its pages.
func begin(t *testing.T, frames ...string) *stage {
	t.Helper()
	return beginWith(t, httptest.NewServer, frames...)
}

// beginWith returns a stage with or without TLS.
func beginWith(t *testing.T, serve func(http.Handler) *httptest.Server, frames ...string) *stage {
	t.Helper()
	s := &stage{T: t, prompt: "Which of these would you buy?"}
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "studies.db"))
	s.must(err)
	t.Cleanup(func() { s.must(store.Close()) })
	s.store = store
	s.studies, err = wiring.New(t.Context(), store,
		wiring.Options{Patience: 3 * time.Second, Limiter: middleware.NewLimiter(10, 100)})
	s.must(err)
	planning, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { s.studies.Planning.Run(planning) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	secret, token := access.New("owner", access.Owner, time.Now())
	s.must(store.AddToken(t.Context(), token))
	mux := http.NewServeMux()
	mux.Handle("/", api.Handler(s.studies, api.Options{Tokens: store, Audit: store}))
	server := serve(middleware.Chain(mux, s.disturb, middleware.Address(nil),
		middleware.Headers(middleware.Policy{Frames: frames}), middleware.SameOrigin(nil, middleware.Origins{}, api.CrossOrigin)))
	t.Cleanup(server.Close)
	pages := web.Handler(s.studies, web.Options{
		Tokens: store, Audit: store, Secure: server.TLS != nil, Framed: len(frames) > 0,
		Webhooks: webhook.NewSender(webhook.Options{
			Store: store, Private: true,
			Notice: func(ctx context.Context, id string) (wire.Notice, bool, error) { return api.Notice(ctx, s.studies, id) },
		}),
		Heartbeat: 300 * time.Millisecond, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	for _, path := range pages.Paths() {
		mux.Handle(path, pages)
	}
	s.url = server.URL
	s.owner, s.secret = &client.Client{URL: s.url, Token: secret, HTTP: server.Client()}, secret
	return s
}

// disturb drops replies to recorded answers, and delays questions.
func (s *stage) disturb(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") == "null" {
			s.Errorf("%s has the origin null", r.URL.Path)
		}
		if strings.HasSuffix(r.URL.Path, "/answers") && s.losing.Add(-1) >= 0 {
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		if strings.HasSuffix(r.URL.Path, "/question") {
			for s.slow.Load() && r.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (s *stage) must(err error) {
	s.Helper()
	testsupport.NoError(s, err)
}

// lamps returns twelve arms without pictures.
func lamps() string { return string(examples.Lamps()) }

// draft creates a study and returns its ID.
func (s *stage) draft(catalogue string, settings wire.Settings) string {
	s.Helper()
	if settings.Assume == "" { // each answer counts at once
		settings.Assume, settings.Fallback, settings.Verify = "linear", new(0.0), cmp.Or(settings.Verify, new(0.0))
	}
	settings.People = cmp.Or(settings.People, new(0))
	created, err := s.owner.Create(s.Context(), client.NewStudy{
		Name: "Study", Prompt: s.prompt, Settings: settings,
		Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader(catalogue)},
	})
	s.must(err)
	return created.Study.ID
}

// open creates and opens a study, and returns its ID when questions are available.
func (s *stage) open(catalogue string, settings wire.Settings) string {
	s.Helper()
	id := s.draft(catalogue, settings)
	testsupport.Value(s.owner.Open(s.Context(), id)).OrFail(s)
	return id
}

// page returns the address of a study's page for respondents.
func (s *stage) page(id string) string { return s.url + "/s/" + id }

// answers returns the outcomes of a study that were not undone.
func (s *stage) answers(id string) (answered []study.Outcome) {
	s.Helper()
	extent := testsupport.Value(overview.ReadExtent(s.Context(), s.store, id)).OrFail(s)
	return collect(s, overview.Standing(s.Context(), s.store, id, extent))
}

// log returns all outcomes of a study.
func (s *stage) log(id string) []study.Outcome {
	s.Helper()
	return collect(s, study.Log(s.Context(), s.store, id, 0, math.MaxInt64))
}

func collect(s *stage, outcomes iter.Seq2[study.Outcome, error]) (all []study.Outcome) {
	s.Helper()
	for o, err := range outcomes {
		s.must(err)
		if o.Kind != study.Lost {
			all = append(all, o)
		}
	}
	return all
}

// kinds waits until the outcomes that were not undone have the given kinds, and returns them.
func (s *stage) kinds(id string, want ...study.Kind) []study.Outcome {
	s.Helper()
	var got []study.Kind
	for range 500 {
		outcomes := s.answers(id)
		got = nil
		for _, o := range outcomes {
			got = append(got, o.Kind)
		}
		if slices.Equal(got, want) {
			return outcomes
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.Fatalf("the outcomes are %v, want %v", got, want)
	return nil
}

// same fails unless all outcomes have the same respondent.
func (s *stage) same(outcomes []study.Outcome) {
	s.Helper()
	for _, o := range outcomes {
		if o.Respondent != outcomes[0].Respondent {
			s.Error(fmt.Sprint("two respondents: ", o.Respondent, " and ", outcomes[0].Respondent))
		}
	}
}

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
		err = s.studies.Dispatch.Answer(s.Context(), lease.Ticket, taste.Pick(lease.Shown, lease.Picks()))
		if errors.Is(err, study.ErrNotOpen) {
			return
		}
		s.must(err)
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
