package endtoend

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/api"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study/wiring"
	"bestpick/internal/webhook"
	"bestpick/wire"
)

// A server is the API on a database, without a network. Only the test plans, so nothing happens between requests.
type server struct {
	store    *sqlite.Store
	studies  *wiring.Service
	handler  http.Handler
	log      bytes.Buffer
	now      time.Time
	fixtures fuzzFixtures
	database *sql.DB // to see writes
	version  int
}

// maxUpload is the configured limit of uploads.
const maxUpload = 4 << 20

// notice returns the notice of a webhook.
func (s *server) notice(ctx context.Context, id string) (wire.Notice, bool, error) {
	return api.Notice(ctx, s.studies, id)
}

// open starts a server on a file.
func open(t testing.TB, path string) *server {
	t.Helper()
	s := &server{now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
	var err error
	s.store, err = sqlite.Open(path)
	must(t, err)
	s.studies, err = wiring.New(t.Context(), s.store, wiring.Options{Clock: func() time.Time { return s.now }})
	must(t, err)
	s.handler = api.Handler(s.studies, api.Options{
		Version: "1.2.3", Tokens: s.store, Audit: s.store,
		Webhooks: webhook.NewSender(webhook.Options{Store: s.store, Notice: s.notice}), Log: slog.New(slog.NewTextHandler(&s.log, nil)),
		MaxUpload: maxUpload,
	})
	s.database, err = sql.Open("sqlite", "file:"+path+"?_pragma=query_only(1)")
	must(t, err)
	s.database.SetMaxOpenConns(1) // PRAGMA data_version compares within a connection
	s.written(t)
	return s
}

func (s *server) close(t testing.TB) {
	t.Helper()
	must(t, s.database.Close())
	must(t, s.store.Close())
}

// written reports whether the database was written to since the last call.
func (s *server) written(t testing.TB) bool {
	t.Helper()
	before := s.version
	must(t, s.database.QueryRowContext(context.WithoutCancel(t.Context()), "PRAGMA data_version").Scan(&s.version))
	return s.version != before
}

// plan runs one step of a study's planner.
func (s *server) plan(t testing.TB, id string) {
	t.Helper()
	if _, err := s.studies.Planning.Planner(id).Step(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("planning fails: %v", err)
	}
}

// send serves one request. It returns nil if net/http rejects the request before the API sees it.
func (s *server) send(t testing.TB, r fuzzRequest) *reply {
	t.Helper()
	counted := &counter{source: r.Reader()}
	request, err := http.ReadRequest(bufio.NewReader(counted))
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	w := &reply{ResponseRecorder: httptest.NewRecorder(), flushed: cancel, method: request.Method}
	defer func() {
		if what := recover(); what != nil {
			t.Errorf("panic: %v", what)
		}
	}()
	s.handler.ServeHTTP(w, request.WithContext(ctx))
	w.read = counted.read
	return w
}

// learn adds the result of a successful request to the fixtures.
func (s *server) learn(t testing.TB, r fuzzRequest, w *reply) {
	t.Helper()
	id := r.Study
	switch r.Operation {
	case "ask":
		var q wire.Question
		must(t, json.Unmarshal(w.Body.Bytes(), &q))
		known := s.fixture(id)
		known.Questions = append(slices.Clone(known.Questions), question(q))
	case "create-study":
		var created wire.Created
		must(t, json.Unmarshal(w.Body.Bytes(), &created))
		id = created.Study.ID
		s.fixtures.Studies = append(s.fixtures.Studies, fuzzStudy{ID: id})
	case "delete-study":
		return
	}
	if w.Header().Get("ETag") != "" {
		s.refresh(t, s.fixture(id))
	}
	s.plan(t, id)
}

func (s *server) fixture(id string) *fuzzStudy {
	return &s.fixtures.Studies[slices.IndexFunc(s.fixtures.Studies, func(one fuzzStudy) bool { return one.ID == id })]
}

// refresh updates the version and the arms of a study.
func (s *server) refresh(t testing.TB, known *fuzzStudy) {
	t.Helper()
	stored, err := s.studies.Store.Study(context.WithoutCancel(t.Context()), known.ID)
	must(t, err)
	arms, err := s.studies.Live.Arms(context.WithoutCancel(t.Context()), stored)
	must(t, err)
	known.ETag, known.Arms = strconv.Quote(strconv.Itoa(stored.Version)), nil
	for arm := range min(arms.Arms.Len(), 20) {
		known.Arms = append(known.Arms, arms.Arms.ID(arm))
	}
}

func question(q wire.Question) fuzzQuestion {
	known := fuzzQuestion{Token: q.Token, Picks: q.Picks}
	for _, arm := range q.Arms {
		known.Arms = append(known.Arms, arm.ID)
	}
	return known
}

// A template is a database with studies in all states. Every server starts with a copy.
type template struct {
	database []byte
	fixtures fuzzFixtures
	spec     *apiSpec
}

// start opens a server on a copy of the template.
func (m *template) start(t testing.TB) *server {
	t.Helper()
	path := filepath.Join(t.TempDir(), "studies.db")
	must(t, os.WriteFile(path, m.database, 0o600))
	s := open(t, path)
	s.fixtures = m.fixtures
	s.fixtures.Studies = slices.Clone(m.fixtures.Studies)
	return s
}

func newTemplate(t testing.TB) *template {
	t.Helper()
	path := filepath.Join(t.TempDir(), "template.db")
	s := open(t, path)
	token := func(name string, role access.Role) string {
		secret, token := access.New(name, role, time.Now())
		must(t, s.store.AddToken(t.Context(), token))
		return secret
	}
	s.fixtures = fuzzFixtures{
		Files: files(t), Owner: token("owner", access.Owner),
		Others: []string{token("viewer", access.Viewer), token("gone", access.Owner), ""},
	}
	must(t, s.store.RemoveToken(t.Context(), "gone"))
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/openapi.json", nil))
	spec, err := parseSpec(w.Body.Bytes())
	must(t, err)
	s.fill(t)
	s.close(t)
	database, err := os.ReadFile(path)
	must(t, err)
	return &template{database, s.fixtures, spec}
}

// throughHandler serves the requests of a client without a network.
type throughHandler struct{ http.Handler }

func (h throughHandler) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// fill creates studies in all states, with open, answered and skipped questions.
func (s *server) fill(t testing.TB) {
	t.Helper()
	ctx, owner := t.Context(), &client.Client{
		URL: "http://localhost", Token: s.fixtures.Owner,
		HTTP: &http.Client{Transport: throughHandler{s.handler}},
	}
	segments := []wire.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 2}}
	for _, one := range []struct {
		settings wire.Settings
		yaml     bool
		draft    bool
		profile  bool // respondents are asked for their age
		members  []string
		end      func(context.Context, string) (wire.Study, error)
	}{
		{settings: wire.Settings{K: 3, Each: 3, Grace: 60}},
		{settings: wire.Settings{K: 3, Assume: "linear"}, draft: true}, // which can have a prior
		{settings: wire.Settings{K: 2, Assume: "linear"}, draft: true},
		{settings: wire.Settings{K: 2, Picks: 1, Each: 3, Grace: -1, Model: &wire.Model{Segments: segments}}},
		{settings: wire.Settings{K: 3, Picks: 2, Each: 3, Budget: new(30), Grace: -1}},
		{settings: wire.Settings{K: 3, Each: 3, Grace: -1}, yaml: true},
		{settings: wire.Settings{K: 2, Each: 3, Notes: true}, profile: true},
		{settings: wire.Settings{K: 3, Each: 3, Grace: -1, Model: &wire.Model{Slots: true, Clicks: true}}},
		{settings: wire.Settings{K: 3, Each: 3, Grace: -1, Plain: true}, members: []string{"anna", "bert", "cleo"}},
		{settings: wire.Settings{K: 3, Each: 3}, end: owner.Pause},
		{settings: wire.Settings{K: 3, Each: 3}, end: owner.Close},
	} {
		arms := client.File{Name: "arms.csv", Contents: strings.NewReader(fuzzFruits)}
		if one.yaml {
			arms = client.File{Name: "arms.yaml", Contents: strings.NewReader(cameras)}
		}
		created, err := owner.Create(ctx, client.NewStudy{Name: "Study", Prompt: "Which?", Settings: one.settings, Catalogue: arms})
		must(t, err)
		known := fuzzStudy{ID: created.Study.ID}
		if one.profile {
			_, err := owner.Change(ctx, known.ID, created.Study.Version,
				wire.Change{Profile: &wire.Profile{Questions: []wire.ProfileQuestion{{Name: "age", Text: "How old are you?"}}}})
			must(t, err)
		}
		if !one.draft {
			_, err := owner.Open(ctx, known.ID)
			must(t, err)
			s.plan(t, known.ID)
			if one.settings.Model != nil && one.settings.Model.Segments != nil {
				known.Segments = []string{"north", "south"}
			}
			s.ask(t, owner, &known, one.members, one.profile)
		}
		if one.end != nil {
			_, err := one.end(ctx, known.ID)
			must(t, err)
		}
		_, err = owner.SetWebhook(ctx, known.ID, "https://example.com/hook")
		must(t, err)
		s.refresh(t, &known)
		s.fixtures.Studies = append(s.fixtures.Studies, known)
	}
}

// ask asks members or, without a panel, five respondents, of whom two answer and one skips.
func (s *server) ask(t testing.TB, owner *client.Client, known *fuzzStudy, members []string, profile bool) {
	t.Helper()
	var asks []wire.Ask
	for _, name := range members {
		added, err := owner.AddMembers(t.Context(), known.ID, wire.NewMember{Name: name})
		must(t, err)
		known.Keys, asks = append(known.Keys, added[0].Key), append(asks, wire.Ask{Key: added[0].Key})
	}
	if members == nil {
		for _, name := range []string{"anna", "bert", "cleo", "dora", "emil"} {
			asks = append(asks, wire.Ask{Respondent: name, Segment: append(slices.Clone(known.Segments), "")[0]})
		}
	}
	for i, ask := range asks {
		if profile {
			_, err := owner.AnswerProfile(t.Context(), known.ID,
				wire.ProfileAnswers{Respondent: ask.Respondent, Answers: map[string]string{"age": "42"}})
			must(t, err)
		}
		q, err := owner.Ask(t.Context(), known.ID, ask)
		must(t, err)
		known.Questions = append(known.Questions, question(q))
		switch {
		case members == nil && i == 3:
			must(t, owner.Skip(t.Context(), known.ID, q.Token))
		case members == nil && (i == 1 || i == 2):
			must(t, owner.Answer(t.Context(), known.ID, q.Token, known.Questions[i].Arms[:q.Picks]...))
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
