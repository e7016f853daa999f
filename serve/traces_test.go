package serve

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"bestpick/client"
	"bestpick/internal/access"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// A collector receives spans.
type collector struct {
	*httptest.Server

	mutex    sync.Mutex
	spans    []*traces.Span
	versions map[string]bool // of the programs that sent spans
	text     strings.Builder // all request bodies
}

func collect(t *testing.T) *collector {
	t.Helper()
	c := &collector{versions: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" ||
			r.Header.Get("Api-Key") != "key" {
			t.Errorf("%v %v %v", r.URL, r.Header, err)
		}
		var data traces.TracesData
		if err := proto.Unmarshal(body, &data); err != nil {
			t.Error(err)
		}
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.text.Write(body)
		for _, resource := range data.GetResourceSpans() {
			for _, a := range resource.GetResource().GetAttributes() {
				if a.GetKey() == "service.version" {
					c.versions[a.GetValue().GetStringValue()] = true
				}
			}
			for _, scope := range resource.GetScopeSpans() {
				c.spans = append(c.spans, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// named returns the spans with a name, and fails if there are none.
func (c *collector) named(t *testing.T, name string) (all []*traces.Span) {
	t.Helper()
	for _, span := range c.spans {
		if span.GetName() == name {
			all = append(all, span)
		}
	}
	if len(all) == 0 {
		t.Fatalf("no span is named %s", name)
	}
	return all
}

// attributes returns the attributes of a span as text.
func attributes(span *traces.Span) map[string]string {
	all := map[string]string{}
	for _, a := range span.GetAttributes() {
		all[a.GetKey()] = strings.Trim(strings.SplitN(a.GetValue().String(), ":", 2)[1], `"`)
	}
	return all
}

// A traced client sends a traceparent header and a request ID with every request.
type traced struct{ http.RoundTripper }

const trace = "0af7651916cd43dd8448eb211c80319c"

func (c traced) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Traceparent", "00-"+trace+"-b7ad6b7169203331-01")
	r.Header.Set("X-Request-Id", "request-7")
	return c.RoundTripper.RoundTrip(r)
}

// testVersion is the version of the program in tests.
const testVersion = "1.2.3"

// served runs a server, calls do with an owner's client, and returns the log.
func served(t *testing.T, do func(s *Service, owner *client.Client)) string {
	t.Helper()
	var log bytes.Buffer
	s, err := New(t.Context(), filepath.Join(t.TempDir(), "studies.db"),
		Options{Version: testVersion, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	token, err := s.AddOwner(t.Context(), "owner")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	server := httptest.NewServer(s)
	do(s, &client.Client{
		URL: server.URL, Token: token,
		HTTP: &http.Client{Transport: traced{&http.Transport{DisableKeepAlives: true}}},
	})
	s.EndStreams()
	server.Close()
	stop()
	testsupport.Wait(t, "running", running.Wait)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return log.String()
}

// answerOne creates a study and answers one question.
func answerOne(t *testing.T, owner *client.Client) (id, token string) {
	t.Helper()
	created, err := owner.Create(t.Context(), client.NewStudy{
		Name: "Arms", Settings: wire.Settings{K: 2, Grace: -1, Assume: "linear", Fallback: new(0.0), Verify: new(0.0), People: new(0)},
		Catalogue: client.File{Name: "arms.csv", Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	id = created.Study.ID
	if _, err := owner.Open(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	question, err := owner.Ask(t.Context(), id, wire.Ask{Respondent: "anna"})
	if err == nil {
		err = owner.Answer(t.Context(), id, question.Token, question.Arms[0].ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		verdict, err := owner.Verdict(t.Context(), id)
		if err != nil || verdict.Answers == 1 || time.Now().After(deadline) {
			return id, question.Token
		}
	}
}

// TestTraces: spans of requests, store operations and plans arrive at the collector, in the trace that the client
// names and without secrets; routes are still counted.
func TestTraces(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=key")
	var id, question, owner string
	log := served(t, func(s *Service, o *client.Client) {
		id, question = answerOne(t, o)
		owner = o.Token
		w := httptest.NewRecorder()
		s.metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		if !strings.Contains(w.Body.String(), `bestpick_request_seconds_count{method="POST",route="/api/v1/studies/{study}/answers",status="200"} 1`) {
			t.Error("the route is not counted any more")
		}
	})
	answer := c.named(t, "POST /api/v1/studies/{study}/answers")[0]
	want := map[string]string{
		"http.request.method": "POST", "http.route": "/api/v1/studies/{study}/answers", "http.response.status_code": "200",
		"bestpick.request": "request-7", "bestpick.study": access.Pseudonym(id),
	}
	for name, value := range want {
		if got := attributes(answer)[name]; got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	record := c.named(t, "store record")[0]
	if hex.EncodeToString(answer.GetTraceId()) != trace || hex.EncodeToString(answer.GetParentSpanId()) != "b7ad6b7169203331" ||
		!bytes.Equal(record.GetTraceId(), answer.GetTraceId()) || !bytes.Equal(record.GetParentSpanId(), answer.GetSpanId()) ||
		attributes(record)["bestpick.study"] != access.Pseudonym(id) {
		t.Errorf("%v\n%v", answer, record)
	}
	plan, written := c.named(t, "plan")[0], c.named(t, "store append")[0]
	if !bytes.Equal(written.GetParentSpanId(), plan.GetSpanId()) || attributes(plan)["bestpick.study"] != access.Pseudonym(id) {
		t.Errorf("%v\n%v", plan, written)
	}
	for _, secret := range []string{id, question, owner, strings.TrimPrefix(owner, "bestpick_"), "anna"} {
		if strings.Contains(c.text.String(), secret) || strings.Contains(log, secret) {
			t.Error("spans or log contain a secret")
		}
	}
	if strings.Contains(log, "traces") {
		t.Error(log)
	}
}

// TestNoCollector: an unreachable collector is logged once, and has no other effect.
func TestNoCollector(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", gone.URL+"/secret")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "10") // milliseconds
	log := served(t, func(_ *Service, o *client.Client) { answerOne(t, o) })
	if strings.Count(log, "traces cannot be sent") != 1 || strings.Contains(log, "secret") {
		t.Error(log)
	}
}

// TestNoTraces: without a collector there is no tracer.
func TestNoTraces(t *testing.T) {
	served(t, func(s *Service, _ *client.Client) {
		if s.tracer != nil {
			t.Error("tracing is on")
		}
	})
}
