package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/observe"
	"bestpick/internal/store"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/study"
	"bestpick/internal/study/dispatch"
	"bestpick/internal/web"
	"bestpick/wire"
)

// A scene is a server with all kinds of clients.
type scene struct {
	*testing.T

	server      *Service
	isPage      func(path string) bool
	owner       *client.Client
	here, there string // open studies, each for the members of its panel
	unused      study.Study
	visitors    []visitor
}

// A visitor is a client with its credentials.
type visitor struct {
	name, role string
	secret     string // a token
	session    string // the session cookie of the token
	key        string // of a panel member
	asked      string // the token of an open question
	answered   string // the token of an answered question

	astray    bool // sends the token as a cookie, and the cookie as a token
	elsewhere bool // the request comes from a page of another site
}

func newScene(t *testing.T, server *Service, owner *client.Client) *scene {
	t.Helper()
	s := &scene{T: t, server: server, isPage: web.Handler(server.studies, web.Options{}).Has, owner: owner}
	s.here, s.there = s.study(study.Open), s.study(study.Open)
	s.visitors = []visitor{
		{name: "no credentials", role: "none"},
		s.member(visitor{name: "a respondent", role: "respondent"}, s.here),
		s.member(visitor{name: "a respondent of another study", role: "stranger"}, s.there),
		s.holder(visitor{name: "a viewer", role: "viewer"}, "viewer"),
		s.holder(visitor{name: "a viewer of another study", role: "guest"}, "viewer"),
		s.holder(visitor{name: "an owner", role: "owner"}, "owner"),
		s.holder(visitor{name: "another owner", role: "owner"}, "owner"),
		s.holder(s.member(visitor{name: "a revoked owner", role: "revoked"}, s.here), "owner"),
	}
	_, err := owner.RemoveMembers(t.Context(), s.here, "a revoked owner")
	s.must(err)
	s.must(owner.RevokeToken(t.Context(), "a revoked owner"))
	return s
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// visitor returns the first visitor with a role.
func (s *scene) visitor(role string) visitor {
	return s.visitors[slices.IndexFunc(s.visitors, func(v visitor) bool { return v.role == role })]
}

// study creates a study in a state.
func (s *scene) study(state study.State) (id string) {
	s.Helper()
	created, err := s.owner.Create(s.Context(), client.NewStudy{
		Name: "Study", Settings: wire.Settings{K: 2, Delta: 1e-9, Assume: "linear", Fallback: new(0.0)},
		Catalogue: client.File{Name: "letters.csv", Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\nd,4\n")},
	})
	s.must(err)
	if state == study.Open {
		_, err = s.owner.Open(s.Context(), created.Study.ID)
		s.must(err)
	}
	return created.Study.ID
}

// member adds a visitor to the panel of a study, and asks them.
func (s *scene) member(v visitor, id string) visitor {
	s.Helper()
	members, err := s.owner.AddMembers(s.Context(), id, wire.NewMember{Name: v.name})
	s.must(err)
	v.key = members[0].Key
	return s.ask(v, id)
}

// ask asks a visitor two questions, and answers one of them.
func (s *scene) ask(v visitor, id string) visitor {
	s.Helper()
	var lease dispatch.Lease
	for _, token := range []*string{&v.asked, &v.answered} {
		var err error
		lease, err = s.server.studies.Dispatch.AskAs(s.Context(), id, dispatch.Who{Key: v.key}, "")
		s.must(err)
		*token = lease.Token
	}
	s.must(s.server.studies.Dispatch.Answer(s.Context(), lease.Ticket, []int{0}))
	return v
}

// holder gives a visitor a token and a session.
func (s *scene) holder(v visitor, role string) visitor {
	s.Helper()
	wanted := wire.NewToken{Name: v.name, Role: role}
	if v.role == "guest" {
		wanted.Study = s.there
	}
	created, err := s.owner.Invite(s.Context(), wanted)
	s.must(err)
	v.secret = created.Secret
	reply := s.send(http.MethodPost, "/sign-in", "token="+v.secret, visitor{})
	s.must(reply.Body.Close())
	v.session = reply.Cookies()[0].Value
	return v
}

// try sends a request as a visitor, and compares the reply with the cell of the table.
func (s *scene) try(route, sent string, who visitor, cell string) {
	s.Helper()
	method, pattern, _ := strings.Cut(route, " ")
	if method == "ANY" {
		method, pattern = http.MethodDelete, "/studies/{study}/nothing"
	}
	id, version := s.here, 0
	switch {
	case strings.HasPrefix(pattern, "/studies/"):
		id, version = s.fresh(needed(pattern))
	case who.role == "respondent":
		who = s.ask(who, id)
	}
	before := s.standing()
	typed := who.secret
	if who.astray {
		typed = ""
	}
	fill := strings.NewReplacer("{study}", id, "{key}/charts/{chart}", "x/charts/shown.svg", "{chart}", "shown.svg",
		"{version}/{name}", "x/bestpick.css", "{what}", "log", "{step}", "answer", "{colour}", "2a56cf", "{invitation}", "x", "{$}", "",
		"{key}", who.key, "{secret}", typed, "{asked}", who.asked, "{answered}", who.answered, "{at}", strconv.Itoa(version))
	reply := s.send(method, fill.Replace(pattern), fill.Replace(sent), who)
	got := s.cell(reply, strings.HasPrefix(pattern, "/s/"))
	s.must(reply.Body.Close())
	if s.standing() != before {
		got += "!"
		s.unused = study.Study{}
	}
	if got != cell {
		s.Errorf("%s as %s: %s, want %s", route, who.name, got, cell)
	}
}

// needed returns the state that a study must have for a route.
func needed(pattern string) study.State {
	if strings.HasSuffix(pattern, "/pause") || strings.HasSuffix(pattern, "/close") {
		return study.Open
	}
	return study.Draft
}

// fresh returns an unchanged study in a state, and its version.
func (s *scene) fresh(state study.State) (id string, version int) {
	s.Helper()
	if s.unused.State != state {
		found, err := s.server.studies.Store.Study(s.Context(), s.study(state))
		s.must(err)
		s.unused = found
	}
	return s.unused.ID, s.unused.Version
}

// send sends a request as a visitor, without following redirects. A form that begins with
// multipart: is sent as multipart/form-data.
func (s *scene) send(method, path, sent string, who visitor) *http.Response {
	s.Helper()
	sent, parts := strings.CutPrefix(sent, "multipart:")
	var body bytes.Buffer
	kind := "application/x-www-form-urlencoded"
	switch {
	case method != http.MethodPost:
		path += "?" + sent
	case parts:
		kind = s.writeParts(&body, sent)
	default:
		body.WriteString(sent)
	}
	r, err := http.NewRequestWithContext(s.Context(), method, s.owner.URL+path, &body)
	s.must(err)
	r.Header.Set("Content-Type", kind)
	if id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/s/"), "/"); id != "" {
		r.Header.Set("Cookie", "respondent="+s.server.studies.Dispatch.Pass(id, strings.Repeat("a", 26)))
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if who.elsewhere {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}
	page := s.isPage(r.URL.Path)
	if page != who.astray && who.session != "" {
		r.Header.Add("Cookie", "session="+who.session)
	} else if page == who.astray && who.secret != "" {
		r.Header.Set("Authorization", "Bearer "+who.secret)
	}
	reply, err := http.DefaultTransport.RoundTrip(r)
	s.must(err)
	return reply
}

// writeParts writes a form as multipart/form-data, and returns its content type.
func (s *scene) writeParts(to io.Writer, form string) (kind string) {
	s.Helper()
	fields, err := url.ParseQuery(form)
	s.must(err)
	w := multipart.NewWriter(to)
	for name, values := range fields {
		s.must(w.WriteField(name, values[0]))
	}
	s.must(w.Close())
	return w.FormDataContentType()
}

// cell returns a reply in the notation of the table. It does not read event streams, which do not
// end.
func (s *scene) cell(reply *http.Response, asking bool) string {
	s.Helper()
	if reply.StatusCode == http.StatusSeeOther && strings.HasPrefix(reply.Header.Get("Location"), "/sign-in") {
		return "sign-in"
	}
	if asking {
		text, err := io.ReadAll(reply.Body)
		s.must(err)
		if reply.StatusCode == http.StatusOK && bytes.Contains(text, []byte(`id="question"`)) {
			return "question"
		}
	}
	return strconv.Itoa(reply.StatusCode)
}

// standing returns everything that a request may change: studies, outcomes and the audit log.
func (s *scene) standing() string {
	s.Helper()
	studies, err := s.server.studies.Store.List(s.Context(), "", math.MaxInt32)
	s.must(err)
	var all strings.Builder
	for _, found := range studies {
		fmt.Fprintln(&all, found.ID, found.Version)
	}
	for outcome, err := range study.Log(s.Context(), s.server.studies.Store, s.here, 0, math.MaxInt64) {
		s.must(err)
		if outcome.Kind != study.Lost {
			fmt.Fprintln(&all, outcome.Kind)
		}
	}
	entries, err := s.server.store.Entries(s.Context(), math.MaxInt64, 1)
	s.must(err)
	fmt.Fprintln(&all, entries[0].Number)
	return all.String()
}

// A full store is out of space.
type full struct{ store.Store }

var errFull = fmt.Errorf("%w: no space left", study.ErrUnavailable)

func (full) Record(context.Context, string, study.Terms, ...study.Outcome) ([]error, error) {
	return nil, errFull
}
func (full) Length(context.Context, string) (int64, error)       { return 0, study.ErrNotFound }
func (full) Token(context.Context, string) (access.Token, error) { return access.Token{}, errFull }

// TestOutage: an outage is logged when it begins, and then every ten seconds, also if only tokens are looked up.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		s := instrumentedStore{full{}, observe.NewMetrics(true), &outage{log: slog.New(slog.NewTextHandler(&log, nil))}, nil, ""}
		if _, err := s.Length(t.Context(), "a"); !errors.Is(err, study.ErrNotFound) || log.Len() > 0 {
			t.Errorf("logged before an outage: %v, %s", err, log.String())
		}
		for range 100 {
			if _, err := s.Record(t.Context(), "a", study.Terms{}); !errors.Is(err, errFull) {
				t.Error(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
		tokens := observedTokens{full{}, s.outage}
		for range 2 {
			if _, err := tokens.Token(t.Context(), "hash"); !errors.Is(err, errFull) {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		if lines := strings.Count(log.String(), "\n"); lines != 3 || !strings.Contains(log.String(), "no space left") {
			t.Errorf("logged %d times in 22 s: %s", lines, log.String())
		}
	})
}

// TestWatchesAll: every method of a store that reads or writes the database is measured.
func TestWatchesAll(t *testing.T) {
	store, err := sqlite.Open(filepath.Join(t.TempDir(), "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	counted := observe.NewMetrics(true)
	watched := reflect.ValueOf(instrumentedStore{store, counted, &outage{}, nil, ""})
	for method := range reflect.TypeFor[study.Store]().Methods() {
		switch method.Name {
		case "Close", "Listen": // they wait
			continue
		case "Adopt", "Batches", "DeleteUnchanged", "PictureHashes": // only the command that moves studies calls them
			continue
		}
		arguments := []reflect.Value{reflect.ValueOf(t.Context())}
		for i := 1; i < method.Type.NumIn() && !(method.Type.IsVariadic() && i == method.Type.NumIn()-1); i++ {
			argument := reflect.Zero(method.Type.In(i))
			if argument.Type() == reflect.TypeFor[func() time.Time]() {
				argument = reflect.ValueOf(time.Now)
			}
			arguments = append(arguments, argument)
		}
		before := measuredOperations(t, counted)
		watched.MethodByName(method.Name).Call(arguments)
		if after := measuredOperations(t, counted); after != before+1 {
			t.Errorf("%s is measured %d times", method.Name, after-before)
		}
	}
}

// measuredOperations returns how many operations of a store were measured.
func measuredOperations(t *testing.T, m *observe.Metrics) (sum int) {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, found := range regexp.MustCompile(`(?m)^bestpick_store_seconds_count\{.*\} (\d+)$`).FindAllStringSubmatch(w.Body.String(),
		-1) {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
