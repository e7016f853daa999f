package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"bestpick/client"
)

// TestBuild: the commit and its time come from the build information of the binary.
func TestBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123abcd"}, {Key: "vcs.time", Value: "2026-11-16T07:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	got := newBuild(info)
	if want := (build{Version: release, Commit: "0123abcd", Time: "2026-11-16T07:00:00Z", Modified: true, Go: "go1.26.8"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for name, c := range map[string]struct {
		build build
		want  string
	}{
		"modified": {got, "bestpick " + release + "\ncommit   0123abcd, modified\ngo       go1.26.8\n"},
		"clean":    {build{Version: "1.2.3", Commit: "0123abcd", Go: "go1.26.8"}, "bestpick 1.2.3\ncommit   0123abcd\ngo       go1.26.8\n"},
		"unknown":  {build{Version: "1.2.3", Go: "go1.26.8"}, "bestpick 1.2.3\ncommit   unknown\ngo       go1.26.8\n"},
	} {
		var text bytes.Buffer
		if err := c.build.print(&text); err != nil || text.String() != c.want {
			t.Errorf("%s: %q, %v", name, text.String(), err)
		}
	}
}

// TestSameVersion: the command, metrics, traces and the OpenAPI description report the same version.
func TestSameVersion(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := run([]string{"version", "--json"}, strings.NewReader(""), &out, &errOut); status != exitOK {
		t.Fatal(errOut.String())
	}
	var b build
	if err := json.Unmarshal(out.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Version == "" || b.Go != runtime.Version() {
		t.Errorf("%+v", b)
	}
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=key")
	served(t, func(_ *server, owner *client.Client) {
		for path, want := range map[string]string{"/metrics": `bestpick_build_info{go="` + runtime.Version() + `",version="` + b.Version + `"} 1`, "/api/v1/openapi.json": `"version":"` + b.Version + `"`} {
			if text := page(t, owner, path); !strings.Contains(text, want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
	})
	if len(c.spans) == 0 || len(c.versions) != 1 || !c.versions[b.Version] {
		t.Errorf("traces of version %v, want %s", c.versions, b.Version)
	}
}

// page fetches a path with the client's token.
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
