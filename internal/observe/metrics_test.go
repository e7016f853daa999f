package observe

import (
	"fmt"
	"io"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/strategy"
)

func served(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestMetrics: events are counted, studies appear under pseudonyms, and finished studies have no
// series.
func TestMetrics(t *testing.T) {
	m := NewMetrics()
	const id = "a-secret-id"
	m.Recorded(study.Answered)
	m.Recorded(study.Answered)
	m.Recorded(study.Skipped)
	m.Request("POST", "/studies/{study}/answers", 200, 3*time.Millisecond)
	m.StoreLatency("record", time.Millisecond)
	m.StoreFailed("record")
	going := study.Planned{Study: id, Verdict: study.Verdict{Answered: 12, Contenders: make([]strategy.Standing, 3), Others: 4}, Evidence: 0.25, Deck: 16, Took: time.Second}
	m.Attended(id)
	m.Attended("another")
	m.Planned(going)
	m.PlanFailed()
	m.Discarded("a")
	m.WebhookAttempt("delivered")
	m.Version("1.2.3")
	name := access.Pseudonym(id)
	text := served(t, m)
	for _, line := range []string{
		`bestpick_outcomes_total{kind="answered"} 2`, `bestpick_outcomes_total{kind="skipped"} 1`,
		`bestpick_request_seconds_count{method="POST",route="/studies/{study}/answers",status="200"} 1`,
		`bestpick_store_seconds_count{operation="record"} 1`, `bestpick_plan_seconds_sum 1`, "bestpick_plan_errors_total 1", "bestpick_plans_discarded_total 1", "bestpick_studies_attended 2", `bestpick_webhook_attempts_total{state="delivered"} 1`,
		`bestpick_build_info{go="` + runtime.Version() + `",version="1.2.3"} 1`,
		`bestpick_store_failures_total{operation="record"} 1`,
		`bestpick_study_answers{study="` + name + `"} 12`, `bestpick_study_deck{study="` + name + `"} 16`,
		`bestpick_study_contenders{study="` + name + `"} 7`, `bestpick_study_evidence{study="` + name + `"} 0.25`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if strings.Contains(text, id) {
		t.Error("the metrics contain the ID of a study")
	}
	m.Left(id)
	if text := served(t, m); strings.Contains(text, name) || !strings.Contains(text, "bestpick_studies_attended 1\n") {
		t.Error("the metrics contain a finished study")
	}
}

// TestDestination: OpenTelemetry's variables are read, and errors about them contain no secrets.
func TestDestination(t *testing.T) {
	for _, c := range []struct{ environment, endpoint, headers, problem string }{
		{"", "", "map[]", ""},
		{"HEADERS=a=b", "", "map[]", ""},
		{"ENDPOINT=http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces", "map[]", ""},
		{"ENDPOINT=https://example.com/otlp/", "https://example.com/otlp/v1/traces", "map[]", ""},
		{"TRACES_ENDPOINT=http://x/y ENDPOINT=http://z", "http://x/y", "map[]", ""},
		{"ENDPOINT=http://x HEADERS=api-key=a%20b,x=y=z,", "http://x/v1/traces", "map[Api-Key:[a b] X:[y=z]]", ""},
		{"ENDPOINT=http://x HEADERS=a=b TRACES_HEADERS=c=d", "http://x/v1/traces", "map[C:[d]]", ""},
		{"ENDPOINT=http://x PROTOCOL=http/protobuf", "http://x/v1/traces", "map[]", ""},
		{"ENDPOINT=http://x PROTOCOL=grpc", "", "map[]", `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, got "grpc"`},
		{"ENDPOINT=secret:4317", "", "map[]", "OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://127.0.0.1:4318"},
		{"TRACES_ENDPOINT=ftp://x", "", "map[]", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be an address such as http://127.0.0.1:4318"},
		{"ENDPOINT=http://x HEADERS=a=b,secret", "", "map[]", "OTEL_EXPORTER_OTLP_HEADERS: header 2 is not of the form name=value"},
	} {
		variables := map[string]string{}
		for pair := range strings.FieldsSeq(c.environment) {
			name, value, _ := strings.Cut(pair, "=")
			variables["OTEL_EXPORTER_OTLP_"+name] = value
		}
		read := func(name string) string { return variables[name] }
		got, err := readDestination(read)
		problem := ""
		if err != nil {
			problem = err.Error()
		}
		if got.endpoint != c.endpoint || fmt.Sprint(map[string][]string(got.headers)) != c.headers || problem != c.problem {
			t.Errorf("%s: %v, %q", c.environment, got, problem)
		}
		variables["OTEL_SDK_DISABLED"] = "true"
		if got, err := readDestination(read); err != nil || got.endpoint != "" {
			t.Errorf("%s, disabled: %v, %v", c.environment, got, err)
		}
	}
}
