package serve

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"bestpick/client"
	"bestpick/internal/study"
	"bestpick/wire"
)

// mount serves a service under a prefix of another server.
func mount(t *testing.T, o Options) (owner *client.Client) {
	t.Helper()
	_, owner = mounted(t, o)
	return owner
}

func mounted(t *testing.T, o Options) (s *Service, owner *client.Client) {
	t.Helper()
	s, err := New(t.Context(), filepath.Join(t.TempDir(), "studies.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(o.Prefix+"/", s)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		s.EndStreams()
		server.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	token, err := s.AddOwner(t.Context(), "owner")
	if err != nil {
		t.Fatal(err)
	}
	return s, &client.Client{URL: server.URL + o.Prefix, Token: token}
}

// TestMounted: under a prefix, all links of pages, redirects, cookies and the API are under it.
func TestMounted(t *testing.T) {
	owner := mount(t, Options{Prefix: "/picks", RespondentRate: 1})
	created, err := owner.Create(t.Context(),
		client.NewStudy{Name: "Letters", Catalogue: client.File{
			Name:     "letters.csv",
			Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\n"),
		}})
	if err != nil {
		t.Fatal(err)
	}
	study := created.Study
	if study.Link != "/picks/s/"+study.ID {
		t.Errorf("the link is %s", study.Link)
	}
	root := strings.TrimSuffix(owner.URL, "/picks")
	reply, _ := fetch(t, http.MethodPost, owner.URL+"/sign-in", "token="+owner.Token, nil)
	session := reply.Cookies()
	if reply.Header.Get("Location") != "/picks/" || len(session) == 0 || session[0].Path != "/picks/" {
		t.Fatalf("%d %v", reply.StatusCode, reply.Header)
	}
	local := regexp.MustCompile(`(?:href|src|action|data-[a-z]+)="(/[^"]*)"`)
	for _, path := range []string{
		"/", "/new", "/studies/" + study.ID, "/studies/" + study.ID + "/edit",
		"/studies/" + study.ID + "/share", "/s/" + study.ID, "/docs",
	} {
		reply, text := fetch(t, http.MethodGet, owner.URL+path, "", session)
		links := local.FindAllStringSubmatch(text, -1)
		if reply.StatusCode >= 500 || reply.StatusCode == http.StatusNotFound || len(links) == 0 {
			t.Errorf("%s: %d with %d links", path, reply.StatusCode, len(links))
		}
		for _, link := range links {
			if !strings.HasPrefix(link[1], "/picks/") {
				t.Errorf("%s: %s", path, link[0])
			}
			if strings.HasPrefix(link[1], "/picks/assets/") {
				if asset, _ := fetch(t, http.MethodGet, root+link[1], "", nil); asset.StatusCode != http.StatusOK {
					t.Errorf("%s: %d", link[1], asset.StatusCode)
				}
			}
		}
	}
	if reply, _ := fetch(t, http.MethodGet, owner.URL+"/studies/"+study.ID, "",
		nil); !strings.HasPrefix(reply.Header.Get("Location"), "/picks/sign-in?next=%2Fstudies") {
		t.Errorf("%d %v", reply.StatusCode, reply.Header)
	}
	if _, text := fetch(t, http.MethodGet, owner.URL+"/openapi.json", "", nil); !strings.Contains(text, `"url":"/picks/api/v1"`) {
		t.Errorf("the document has another server: %.300s", text)
	}
}

// TestBadOptions: a prefix is a path without a slash at its end, and an origin has no path.
func TestBadOptions(t *testing.T) {
	for _, o := range []Options{
		{Prefix: "picks"},
		{Prefix: "/"},
		{Prefix: "/picks/"},
		{AllowOrigins: []string{"example.com"}},
		{AllowOrigins: []string{"*", "https://example.com/"}},
		{AllowOrigins: []string{"null"}},
	} {
		_, err := New(t.Context(), "unused.db", o)
		if _, wrong := errors.AsType[OptionError](err); !wrong {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestAllowOrigins: pages of allowed origins may answer, and pages of others may not.
func TestAllowOrigins(t *testing.T) {
	owner := mount(t, Options{AllowOrigins: []string{"https://shop.example"}})
	for origin, status := range map[string]int{
		"https://shop.example": http.StatusNotFound,
		"https://evil.example": http.StatusForbidden,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, owner.URL+"/api/v1/studies/none/questions",
			strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		if allowed := reply.Header.Get("Access-Control-Allow-Origin"); reply.StatusCode != status ||
			(allowed == origin) != (status == http.StatusNotFound) {
			t.Errorf("%s: %d, allowed is %q", origin, reply.StatusCode, allowed)
		}
	}
	if _, err := owner.Ask(t.Context(), "none", wire.Ask{}); !client.Is(err, wire.NotFound) {
		t.Errorf("a program: %v", err)
	}
}

// fetch sends a request without following redirects.
func fetch(t *testing.T, method, url, form string, cookies []*http.Cookie) (head, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for _, cookie := range cookies {
		r.AddCookie(cookie)
	}
	reply, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return head{reply.StatusCode, reply.Header}, string(text)
}

// A head is a reply without its body.
type head struct {
	StatusCode int
	Header     http.Header
}

// Cookies returns the cookies that the reply sets.
func (h head) Cookies() []*http.Cookie { return (&http.Response{Header: h.Header}).Cookies() }

// TestSameVersion: metrics, traces and the OpenAPI description report the version of the options. The metrics read the
// backlog of the database.
func TestSameVersion(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=key")
	served(t, func(s *Service, owner *client.Client) {
		for path, want := range map[string]string{"/metrics": `bestpick_build_info{go="` + runtime.Version() + `",version="` +
			s.Version + `"} 1`, "/api/v1/openapi.json": `"version":"` + s.Version + `"`} {
			if text := page(t, owner, path); !strings.Contains(text, want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
		if text := page(t, owner, "/metrics"); !strings.Contains(text, `bestpick_outcomes_uncounted{done="true"} 0`) {
			t.Error("the metrics have no backlog")
		}
	})
	if len(c.spans) == 0 || len(c.versions) != 1 || !c.versions[testVersion] {
		t.Errorf("traces of version %v, want %s", c.versions, testVersion)
	}
}

// TestNoStudyMetrics: the option omits the series of studies.
func TestNoStudyMetrics(t *testing.T) {
	for _, none := range []bool{false, true} {
		s, _ := mounted(t, Options{NoStudyMetrics: none})
		s.metrics.Planned(study.Planned{Study: "a"})
		w := httptest.NewRecorder()
		s.metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		if has := strings.Contains(w.Body.String(), "bestpick_study_answers"); has == none {
			t.Errorf("series of studies are omitted: %v, want %v", !has, none)
		}
	}
}

// page returns the contents of a path, fetched with the client's token.
func page(t *testing.T, c *client.Client, path string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	reply, err := c.HTTP.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatal(reply.Status, err)
	}
	return string(text)
}
