package hostile_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"bestpick/api"
	"bestpick/api/hostile"
	"bestpick/api/wire"
	"bestpick/store/sqlite"
	"bestpick/study"
)

// A stage is the interface on a database, without a network. Nobody plans but the test, so that nothing happens
// that was not asked for.
type stage struct {
	store    *sqlite.Store
	studies  *study.Service
	handler  http.Handler
	log      bytes.Buffer
	now      time.Time
	planners map[string]*study.Planner
	look     *looker
	world    hostile.World
}

// largest is how large uploads may be here.
const largest = 4 << 20

// open makes a stage on a file.
func open(t testing.TB, path string) *stage {
	t.Helper()
	s := &stage{now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC), planners: map[string]*study.Planner{}}
	var err error
	s.store, err = sqlite.Open(path)
	must(t, err)
	s.studies, err = study.NewService(t.Context(), s.store, study.Options{Clock: func() time.Time { return s.now }})
	must(t, err)
	s.handler = api.Handler(s.studies, api.Options{Version: "1.2.3", Tokens: s.store, Audit: s.store, Webhooks: s.store, Log: slog.New(slog.NewTextHandler(&s.log, nil)), MaxUpload: largest})
	return s
}

func (s *stage) close(t testing.TB) {
	t.Helper()
	must(t, s.store.Close())
	if s.look != nil {
		must(t, s.look.db.Close())
	}
}

// begin makes a stage on a copy of the template.
func (m *template) begin(t testing.TB) *stage {
	t.Helper()
	path := filepath.Join(t.TempDir(), "studies.db")
	must(t, os.WriteFile(path, m.database, 0o600))
	s := open(t, path)
	s.look = newLooker(t, path)
	s.world = m.world
	s.world.Scenes = slices.Clone(m.world.Scenes)
	return s
}

// plan takes a step of the planner of a study, which must be able to plan whatever it was made of.
func (s *stage) plan(t testing.TB, id string) {
	t.Helper()
	planner := s.planners[id]
	if planner == nil {
		planner = s.studies.Planner(id)
		s.planners[id] = planner
	}
	if _, err := planner.Step(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("planning fails: %v", err)
	}
}

// perform makes requests out of bytes until none are left, and looks at what becomes of each.
func (m *template) perform(t testing.TB, input []byte, most int) map[string]int {
	t.Helper()
	s := m.begin(t)
	defer s.close(t)
	succeeded := map[string]int{}
	dice := hostile.NewDice(input)
	for range most {
		r := m.description.Request(&s.world, dice)
		s.now = s.now.Add(time.Millisecond)
		if reply := s.send(t, r); reply != nil {
			s.check(t, r, reply)
			if reply.status < 300 {
				succeeded[r.Operation]++
			}
		}
		if t.Failed() {
			t.Fatalf("after %v", r)
		}
		if dice.Empty() {
			break
		}
	}
	return succeeded
}

// send has the interface reply to a request. Some are refused before they come to it; they get no reply.
func (s *stage) send(t testing.TB, r hostile.Request) (w *reply) {
	t.Helper()
	counted := &counter{source: r.Reader()}
	request, err := http.ReadRequest(bufio.NewReader(counted))
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
	defer cancel()
	w = &reply{header: http.Header{}, enough: cancel, method: request.Method, address: request.URL.Path}
	defer func() {
		if what := recover(); what != nil {
			t.Errorf("panic: %v", what)
		}
	}()
	s.handler.ServeHTTP(w, request.WithContext(ctx))
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	w.read = counted.read
	return w
}

// A counter counts what is read.
type counter struct {
	source io.Reader
	read   int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	c.read += int64(n)
	return n, err
}

// learn makes what a reply says part of the world, and has the planner do its part.
func (s *stage) learn(t testing.TB, r hostile.Request, w *reply) {
	t.Helper()
	id := r.Study
	switch r.Operation {
	case "ask":
		var q wire.Question
		must(t, json.Unmarshal(w.body.Bytes(), &q))
		scene := s.scene(id)
		scene.Questions = append(slices.Clone(scene.Questions), asked(q))
	case "create-study":
		var created wire.Created
		must(t, json.Unmarshal(w.body.Bytes(), &created))
		id = created.Study.ID
		s.world.Scenes = append(s.world.Scenes, hostile.Scene{Study: id})
	case "delete-study":
		return
	}
	if w.header.Get("ETag") != "" {
		s.know(t, s.scene(id))
	}
	s.plan(t, id)
}

func (s *stage) scene(id string) *hostile.Scene {
	return &s.world.Scenes[slices.IndexFunc(s.world.Scenes, func(one hostile.Scene) bool { return one.Study == id })]
}

func etag(version int) string { return strconv.Quote(strconv.Itoa(version)) }
