package endtoend

import (
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"bestpick/client"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// get fetches a path from a server.
func get(t *testing.T, c *client.Client, path, token string) (int, http.Header, string) {
	t.Helper()
	r := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+path, nil)).OrFail(t)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	reply, err := c.HTTP.Do(r)
	testsupport.NoError(t, err)
	defer reply.Body.Close()
	text := testsupport.Value(io.ReadAll(reply.Body)).OrFail(t)
	return reply.StatusCode, reply.Header, string(text)
}

// TestInside: operators can check liveness, readiness and metrics, which do not contain the IDs of
// studies. Replies have security headers and a request ID.
func TestInside(t *testing.T) {
	p := start(t, sqliteFile(t), "")
	world := someArms(t, 6, 0.3, 2)
	id := world.newStudy(t, p.Client, wire.Settings{K: 3, Grace: -1, Budget: 40, Delta: 1e-9})
	crowd := &people{studies: map[string]truth{id: world}, reach: func(int) *client.Client { return p.Client }, acknowledged: map[string]said{}}
	open := world.newStudy(t, p.Client, wire.Settings{K: 3})
	crowd.answer(t.Context(), 2, "r")
	for path, want := range map[string]string{"/healthz": "alive\n", "/readyz": "ready\n"} {
		if status, header, text := get(t, p.Client, path, ""); status != 200 || text != want || header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %d %q", path, status, text)
		}
	}
	if status, _, text := get(t, p.Client, "/metrics", ""); status != 401 || strings.Contains(text, "bestpick_") {
		t.Errorf("without a token: %d %s", status, text)
	}
	var text string
	eventually(t, "the metrics have the decks of studies", 10*time.Second, func() bool {
		_, _, text = get(t, p.Client, "/metrics", p.Token)
		return strings.Contains(text, "bestpick_study_deck{")
	})
	printed := testsupport.Value(exec.CommandContext(testsupport.Limited(t), program, "--version").Output()).OrFail(t)
	version := strings.TrimSpace(strings.TrimPrefix(string(printed), "bestpick "))
	for _, want := range []string{
		`,version="` + version + `"} 1`,
		`bestpick_outcomes_total{kind="answered"} `, `bestpick_request_seconds_count{method="POST",route="/api/v1/studies/{study}/answers",status="200"} `,
		"bestpick_plan_seconds_count ", `bestpick_store_seconds_count{operation="record"} `, "bestpick_study_deck{", "bestpick_study_answers{", "go_goroutines ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if strings.Contains(text, id) || strings.Contains(text, open) || strings.Contains(text, p.Token) {
		t.Error("the metrics contain the ID of a study")
	}
	_, header, _ := get(t, p.Client, "/docs", "")
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || header.Get("Strict-Transport-Security") != "" {
		t.Errorf("%v", header)
	}
	p.stop(t)
	if log := p.log.String(); strings.Contains(log, id) || strings.Contains(log, p.Token) {
		t.Error(log)
	}
}
