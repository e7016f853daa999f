package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/middleware"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/studytest"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// A stage is the API on a new store, with its clients.
type stage struct {
	*testing.T

	store         *sqlite.Store
	studies       *wiring.Service
	url           string
	owner, viewer *client.Client
	respondent    *client.Client // without a token
	log           *testsupport.Log
	closing       chan struct{}
	offset        atomic.Int64 // added to the clock
	secrets       secrets
}

// A setting configures a stage.
type setting struct {
	api      api.Options
	patience time.Duration
	limiter  *middleware.Limiter               // of respondents
	alone    bool                              // not in parallel with other tests
	idle     bool                              // without planning
	store    func(s *sqlite.Store) study.Store // wraps the store of the service
}

// begin returns a stage that is closed when the test ends.
func begin(t *testing.T, different setting) *stage {
	t.Helper()
	if !different.alone {
		t.Parallel()
	}
	s := &stage{T: t, log: &testsupport.Log{}, closing: make(chan struct{})}
	store := studytest.NewStore(t)
	s.store = store
	seen := study.Store(store)
	if different.store != nil {
		seen = different.store(store)
	}
	logger := slog.New(slog.NewTextHandler(s.log, nil))
	var err error
	s.studies, err = wiring.New(t.Context(), seen, wiring.Options{
		Clock:    func() time.Time { return time.Now().Add(time.Duration(s.offset.Load())) },
		Patience: different.patience, Limiter: different.limiter,
		Report: func(id string, err error) { logger.Error("planning", "study", id, "error", err) },
	})
	s.must(err)
	if !different.idle {
		s.plan()
	}
	options := different.api
	options.Version, options.Log, options.Closing = "1.2.3", logger, s.closing
	if options.Tokens == nil {
		options.Tokens = store
	}
	options.Webhooks = webhook.NewSender(webhook.Options{
		Store:  store,
		Notice: func(ctx context.Context, id string) (wire.Notice, bool, error) { return api.Notice(ctx, s.studies, id) },
	})
	if options.Audit == nil {
		options.Audit = store
	}
	handler := api.Handler(s.studies, options)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.Clone(r.Context())) // like behind middleware that clones requests
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.owner, s.viewer, s.respondent = s.client(access.Owner), s.client(access.Viewer), s.client("")
	t.Cleanup(func() { s.secrets.absent(t, "the log", s.log.String()) })
	return s
}

// plan runs planning until the test ends.
func (s *stage) plan() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	var running sync.WaitGroup
	running.Go(func() { s.studies.Planning.Run(ctx) })
	s.Cleanup(func() {
		cancel()
		testsupport.Wait(s.T, "planning", running.Wait)
	})
}

// client returns a client with a token of a role, or without one.
func (s *stage) client(role access.Role) *client.Client {
	s.Helper()
	c := &client.Client{URL: s.url, HTTP: &http.Client{Transport: &watcher{s, &http.Transport{MaxIdleConnsPerHost: 32}}}}
	if role != "" {
		secret, token := access.New(string(role), role, time.Now())
		s.must(s.store.AddToken(s.Context(), token))
		s.secrets.add(secret)
		c.Token = secret
	}
	return c
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// pass advances the clock.
func (s *stage) pass(d time.Duration) { s.offset.Add(int64(d)) }

// refused fails unless an error is a problem of a type, with the given first location.
func (s *stage) refused(err error, status int, kind, location string) *client.Error {
	s.Helper()
	problem, ok := err.(*client.Error) //nolint:errorlint // the client must not wrap it
	if !ok {
		s.Fatalf("got %v, want a problem of type %s", err, kind)
	}
	at := ""
	if len(problem.Errors) > 0 {
		at = problem.Errors[0].Location
	}
	if problem.Status != status || problem.Type != kind || at != location {
		s.Errorf("got %d %s at %q (%v), want %d %s at %q", problem.Status, problem.Type, at, problem, status, kind, location)
	}
	return problem
}

// A watcher checks every reply: problems must be valid and contain no secrets.
type watcher struct {
	*stage

	through http.RoundTripper
}

func (w *watcher) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := w.through.RoundTrip(r)
	if err != nil || reply.StatusCode < 400 || r.Method == http.MethodHead {
		return reply, err
	}
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return nil, err
	}
	_ = reply.Body.Close()
	reply.Body = io.NopCloser(bytes.NewReader(text))
	what := r.Method + " " + r.URL.Path
	var problem struct {
		wire.Problem

		Errors []struct {
			Message  string `json:"message"`
			Location string `json:"location"`
		} `json:"errors"`
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&problem); err != nil || problem.Status != reply.StatusCode ||
		problem.Title != http.StatusText(reply.StatusCode) {
		w.Errorf("%s: %d with %s: %v", what, reply.StatusCode, text, err)
	}
	if kind := reply.Header.Get("Content-Type"); kind != "application/problem+json" {
		w.Errorf("%s: a problem of the type %q", what, kind)
	}
	if strings.Contains(string(text), "goroutine") || strings.Contains(string(text), ".go:") {
		w.Errorf("%s: the problem has a stack trace: %s", what, text)
	}
	w.secrets.absent(w.T, what, string(text))
	return reply, nil
}

// Secrets are texts that must not occur in replies and logs.
type secrets struct {
	mutex sync.Mutex
	list  []string
}

func (s *secrets) add(text string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if text != "" {
		s.list = append(s.list, text)
	}
}

func (s *secrets) absent(t *testing.T, where, text string) {
	t.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, secret := range s.list {
		if strings.Contains(text, secret) {
			t.Errorf("%s contains a token: %s", where, text)
		}
	}
}

// A raw is a received reply.
type raw struct {
	status int
	header http.Header
	text   string
}

// read decodes the reply as JSON.
func (r raw) read(out any) error { return json.Unmarshal([]byte(r.text), out) }

// A sent is a request that package client would not send.
type sent struct {
	token, method, path string
	kind, body          string
	headers             []string // alternating names and values
}

// send sends a request. Paths are relative to /api/v1 unless they are absolute.
func (s *stage) send(r sent) raw {
	s.Helper()
	address := s.url + "/api/v1" + r.path
	if strings.HasPrefix(r.path, "//") {
		address = s.url + r.path[1:]
	}
	request, err := http.NewRequestWithContext(context.WithoutCancel(s.Context()), r.method, address, strings.NewReader(r.body))
	s.must(err)
	if r.token != "" {
		request.Header.Set("Authorization", "Bearer "+r.token)
	}
	if r.kind != "" {
		request.Header.Set("Content-Type", r.kind)
	}
	for i := 0; i < len(r.headers); i += 2 {
		request.Header.Add(r.headers[i], r.headers[i+1])
	}
	reply, err := s.owner.HTTP.Do(request)
	s.must(err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	s.must(err)
	return raw{reply.StatusCode, reply.Header, string(text)}
}

// get reads a path as the owner.
func (s *stage) get(path string, out any) {
	s.Helper()
	reply := s.send(sent{token: s.owner.Token, method: http.MethodGet, path: path})
	if reply.status != http.StatusOK {
		s.Fatalf("GET %s: %d %s", path, reply.status, reply.text)
	}
	s.must(reply.read(out))
}

// A part is a field of a form, or a file if it has a file name.
type part struct{ field, file, text string }

// form encodes parts as a form, and returns its content type and body.
func (s *stage) form(parts ...part) (kind, body string) {
	s.Helper()
	var text bytes.Buffer
	form := multipart.NewWriter(&text)
	for _, p := range parts {
		if p.file == "" {
			s.must(form.WriteField(p.field, p.text))
			continue
		}
		w, err := form.CreateFormFile(p.field, p.file)
		s.must(err)
		_, err = w.Write([]byte(p.text))
		s.must(err)
	}
	s.must(form.Close())
	return form.FormDataContentType(), text.String()
}

// replace replaces old texts by new ones, given as pairs.
func replace(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

// formed returns a request with a form.
func (s *stage) formed(r sent, parts ...part) sent {
	s.Helper()
	r.kind, r.body = s.form(parts...)
	return r
}
