package serve

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"bestpick/client"
)

// TestSameVersion: metrics, traces and the OpenAPI description report the version of the options.
func TestSameVersion(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=key")
	served(t, func(s *Service, owner *client.Client) {
		for path, want := range map[string]string{"/metrics": `bestpick_build_info{go="` + runtime.Version() + `",version="` + s.Version + `"} 1`, "/api/v1/openapi.json": `"version":"` + s.Version + `"`} {
			if text := page(t, owner, path); !strings.Contains(text, want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
	})
	if len(c.spans) == 0 || len(c.versions) != 1 || !c.versions[testVersion] {
		t.Errorf("traces of version %v, want %s", c.versions, testVersion)
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
