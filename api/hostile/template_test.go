package hostile_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bestpick/access"
	"bestpick/api/hostile"
	"bestpick/api/wire"
	"bestpick/client"
	"bestpick/store/sqlite"
)

// A template is a database with studies in all states, and what is known of it. Every stage begins with a copy.
type template struct {
	database    []byte
	world       hostile.World
	description *hostile.Description
}

// direct serves the requests of a client without a network.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

// newTemplate makes one.
func newTemplate(t testing.TB) *template {
	t.Helper()
	made := &template{world: hostile.World{Files: files(t)}}
	path := filepath.Join(t.TempDir(), "template.db")
	func() {
		s := open(t, path)
		defer s.close(t)
		made.world.Owner = token(t, s.store, "owner", access.Owner)
		gone := token(t, s.store, "gone", access.Owner)
		must(t, s.store.RemoveToken(t.Context(), "gone"))
		made.world.Others = []string{token(t, s.store, "viewer", access.Viewer), gone}
		made.fill(t, s)
	}()
	var err error
	made.database, err = os.ReadFile(path)
	must(t, err)
	return made
}

func token(t testing.TB, store *sqlite.Store, name string, role access.Role) string {
	t.Helper()
	secret, token := access.New(name, role, time.Now())
	must(t, store.AddToken(t.Context(), token))
	return secret
}

// fill makes studies in all states.
func (m *template) fill(t testing.TB, s *stage) {
	t.Helper()
	through := &http.Client{Transport: direct{s.handler}}
	f := &filler{TB: t, stage: s, owner: &client.Client{URL: "http://localhost", Token: m.world.Owner, HTTP: through}, template: m}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/openapi.json", nil))
	var err error
	m.description, err = hostile.Describe(w.Body.Bytes())
	must(t, err)
	segments := []wire.Segment{{Name: "north", Share: 1}, {Name: "south", Share: 2}}
	f.opened(wire.Settings{K: 3, Grace: 60}, "csv", fruits)
	f.draft(wire.Settings{K: 3}, "csv", fruits)
	f.opened(wire.Settings{K: 2, Picks: 1, Grace: -1, Model: &wire.Model{Segments: segments}}, "csv", fruits, "north", "south")
	f.opened(wire.Settings{K: 3, Picks: 2, Each: 3, Budget: 6, Grace: -1}, "csv", fruits)
	f.opened(wire.Settings{K: 3, Grace: -1}, "yaml", cameras)
	f.opened(wire.Settings{K: 3, Grace: -1, Model: &wire.Model{Slots: true, Clicks: true}}, "csv", fruits)
	f.closed(wire.Settings{K: 3, Grace: 60}, "anna", "bert")
	f.closed(wire.Settings{K: 3, Grace: -1, Plain: true}, "anna", "bert", "cleo")
	_, err = f.owner.Pause(t.Context(), f.opened(wire.Settings{K: 3}, "csv", fruits))
	must(t, err)
	_, err = f.owner.Close(t.Context(), f.opened(wire.Settings{K: 3}, "csv", fruits))
	must(t, err)
	for i := range m.world.Scenes {
		scene := &m.world.Scenes[i]
		_, err := f.owner.SetWebhook(t.Context(), scene.Study, "https://example.com/hook")
		must(t, err)
		s.know(t, scene)
	}
}

// A filler fills a template.
type filler struct {
	testing.TB

	*template

	stage *stage
	owner *client.Client
}

// draft creates a study.
func (f *filler) draft(settings wire.Settings, ending, arms string) string {
	f.Helper()
	created, err := f.owner.Create(f.Context(), client.NewStudy{Name: "Study", Prompt: "Which?", Settings: settings, Catalogue: client.File{Name: "arms." + ending, Contents: strings.NewReader(arms)}})
	must(f.TB, err)
	f.world.Scenes = append(f.world.Scenes, hostile.Scene{Study: created.Study.ID})
	return created.Study.ID
}

// opened creates a study, and opens it: some questions are out, some are answered, skipped and taken back.
func (f *filler) opened(settings wire.Settings, ending, arms string, segments ...string) string {
	f.Helper()
	id := f.draft(settings, ending, arms)
	_, err := f.owner.Open(f.Context(), id)
	must(f.TB, err)
	f.stage.plan(f.TB, id)
	segment := ""
	if len(segments) > 0 {
		segment = segments[0]
	}
	scene := &f.world.Scenes[len(f.world.Scenes)-1]
	scene.Segments = segments
	for i, name := range []string{"anna", "bert", "cleo", "dora", "emil"} {
		q, err := f.owner.Ask(f.Context(), id, wire.Ask{Respondent: name, Segment: segment})
		must(f.TB, err)
		scene.Questions = append(scene.Questions, asked(q))
		picks := scene.Questions[i].Arms[:q.Picks]
		switch i {
		case 1, 2:
			must(f.TB, f.owner.Answer(f.Context(), id, q.Token, picks...))
		case 3:
			must(f.TB, f.owner.Skip(f.Context(), id, q.Token))
		}
	}
	return id
}

// closed creates a study with a panel, and opens it.
func (f *filler) closed(settings wire.Settings, names ...string) {
	f.Helper()
	id := f.draft(settings, "csv", fruits)
	_, err := f.owner.Open(f.Context(), id)
	must(f.TB, err)
	f.stage.plan(f.TB, id)
	scene := &f.world.Scenes[len(f.world.Scenes)-1]
	for _, name := range names {
		members, err := f.owner.AddMembers(f.Context(), id, wire.NewMember{Name: name})
		must(f.TB, err)
		q, err := f.owner.Ask(f.Context(), id, wire.Ask{Key: members[0].Key})
		must(f.TB, err)
		scene.Keys, scene.Questions = append(scene.Keys, members[0].Key), append(scene.Questions, asked(q))
	}
}

// asked is a question as the generator knows it.
func asked(q wire.Question) hostile.Question {
	known := hostile.Question{Token: q.Token, Picks: q.Picks}
	for _, arm := range q.Arms {
		known.Arms = append(known.Arms, arm.ID)
	}
	return known
}

// know looks up what is known of a study.
func (s *stage) know(t testing.TB, scene *hostile.Scene) {
	t.Helper()
	known, err := s.studies.Study(context.WithoutCancel(t.Context()), scene.Study)
	must(t, err)
	arms, err := s.studies.Arms(context.WithoutCancel(t.Context()), known)
	must(t, err)
	scene.ETag, scene.Arms = etag(known.Version), nil
	for arm := range min(arms.Arms.Len(), 20) {
		scene.Arms = append(scene.Arms, arms.Arms.ID(arm))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
