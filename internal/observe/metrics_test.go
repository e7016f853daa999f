package observe

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

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
	m := NewMetrics(true)
	const id = "a-secret-id"
	m.Recorded(study.Answered)
	m.Recorded(study.Answered)
	m.Recorded(study.Skipped)
	m.Request("POST", "/studies/{study}/answers", 200, 3*time.Millisecond)
	m.StoreLatency("record", time.Millisecond)
	m.StoreFailed("record")
	going := study.Planned{
		Study: id, Verdict: study.Verdict{Answered: 12, Contenders: make([]strategy.Standing, 3), Others: 4},
		Evidence: 0.25, Deck: 16, Took: time.Second,
	}
	m.Attended(id)
	m.Attended("another")
	m.Planned(going)
	m.PlanFailed()
	m.Discarded("a")
	m.WebhookAttempt("delivered")
	m.Version("1.2.3")
	m.Backlog(3, 4, 5)
	name := access.Pseudonym(id)
	text := served(t, m)
	for _, line := range []string{
		`bestpick_outcomes_total{kind="answered"} 2`, `bestpick_outcomes_total{kind="skipped"} 1`,
		`bestpick_request_seconds_count{method="POST",route="/studies/{study}/answers",status="200"} 1`,
		`bestpick_store_seconds_count{operation="record"} 1`, `bestpick_plan_seconds_sum 1`, "bestpick_plan_errors_total 1",
		"bestpick_plans_discarded_total 1", "bestpick_studies_attended 2", `bestpick_webhook_attempts_total{state="delivered"} 1`,
		`bestpick_build_info{go="` + runtime.Version() + `",version="1.2.3"} 1`,
		`bestpick_store_failures_total{operation="record"} 1`,
		`bestpick_outcomes_uncounted{done="true"} 3`, `bestpick_outcomes_uncounted{done="false"} 4`, "bestpick_studies_due 5",
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
	none := NewMetrics(false)
	none.Attended(id)
	none.Planned(going)
	if text := served(t, none); strings.Contains(text, "bestpick_study_") ||
		!strings.Contains(text, "bestpick_plan_seconds_count 1\n") {
		t.Error("the metrics have series of studies, or not the others")
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

// known returns all exported series with their labels.
func known(t *testing.T) map[string][]string {
	t.Helper()
	m := NewMetrics(true)
	m.Version("1")
	m.Recorded(study.Answered)
	m.Request("GET", "/", 200, time.Second)
	m.StoreLatency("record", time.Second)
	m.Planned(study.Planned{Study: "a"})
	m.WebhookAttempt("delivered")
	m.Backlog(0, 0, 0)
	names := map[string][]string{"up": nil} // made by Prometheus
	series := regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? `)
	for _, found := range series.FindAllStringSubmatch(served(t, m), -1) {
		names[found[1]] = labelsOf(found[2])
	}
	return names
}

var (
	quoted    = regexp.MustCompile(`"[^"]*"`)
	selector  = regexp.MustCompile(`(\w+)\{([^}]*)\}`)
	label     = regexp.MustCompile(`(\w+)\s*[=!]`)
	aside     = regexp.MustCompile(`\{[^}]*\}|\[[^\]]*\]|\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	called    = regexp.MustCompile(`\b\w+\s*\(`)
	word      = regexp.MustCompile(`\b[a-zA-Z_:][\w:]*`)
	operators = []string{"and", "or", "unless", "bool", "offset"}
)

func labelsOf(text string) (labels []string) {
	for _, found := range label.FindAllStringSubmatch(quoted.ReplaceAllString(text, `""`), -1) {
		labels = append(labels, found[1])
	}
	return labels
}

// unknownIn returns the series and labels of an expression that the program does not export.
func unknownIn(expression string, known map[string][]string) (unknown []string) {
	plain := quoted.ReplaceAllString(expression, `""`)
	for _, found := range selector.FindAllStringSubmatch(plain, -1) {
		for _, name := range labelsOf(found[2]) {
			if !slices.Contains(append([]string{"job", "instance"}, known[found[1]]...), name) {
				unknown = append(unknown, found[1]+"{"+name+"}")
			}
		}
	}
	for _, name := range word.FindAllString(called.ReplaceAllString(aside.ReplaceAllString(plain, ""), "("), -1) {
		if _, is := known[name]; !is && !slices.Contains(operators, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// TestUnknownIn tests the check that the tests below use.
func TestUnknownIn(t *testing.T) {
	names := known(t)
	for expression, want := range map[string]string{
		`sum by (le, nothing) (rate(bestpick_request_seconds_bucket{job="x",route="/{study}/nothing"}[5m])) > 1e3 or vector(0)`: "",
		`bestpick_answers / on (study) group_left () go_goroutines`:                                                             "bestpick_answers",
		`rate(bestpick_outcomes_total{sort="answered"}[$__rate_interval])`:                                                      "bestpick_outcomes_total{sort}",
		`bestpick_request_seconds > 1 and up == 0`:                                                                              "bestpick_request_seconds",
	} {
		if got := strings.Join(unknownIn(expression, names), " "); got != want {
			t.Errorf("%s: %q is unknown, want %q", expression, got, want)
		}
	}
}

func deployed(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "deploy"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDashboard: the Grafana dashboard uses only existing series, and all of ours.
func TestDashboard(t *testing.T) {
	var dashboard struct {
		Title  string `json:"title"`
		Panels []struct {
			ID      int    `json:"id"`
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
		Templating struct {
			List []struct {
				Definition string `json:"definition"`
			} `json:"list"`
		} `json:"templating"`
	}
	text := deployed(t, "grafana", "bestpick.json")
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	names, ids := known(t), map[int]bool{}
	for _, panel := range dashboard.Panels {
		if len(panel.Targets) == 0 || ids[panel.ID] {
			t.Errorf("panel %d, %s, shows nothing, or its ID is not unique", panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		for _, target := range panel.Targets {
			if unknown := unknownIn(target.Expr, names); target.Expr == "" || unknown != nil {
				t.Errorf("%s: %q are unknown in %s", panel.Title, unknown, target.Expr)
			}
		}
	}
	for _, variable := range dashboard.Templating.List {
		if found := regexp.MustCompile(`^label_values\((\w+), `).FindStringSubmatch(variable.Definition); found != nil &&
			names[found[1]] == nil {
			t.Errorf("%s uses an unknown series", variable.Definition)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		base := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if strings.HasPrefix(name, "bestpick_") && !strings.Contains(string(text), base) {
			t.Errorf("%s is not shown", name)
		}
	}
}

// TestAlerts: the rules use existing series and job names, and link to existing headings of the runbook.
func TestAlerts(t *testing.T) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(deployed(t, "prometheus", "alerts.yml"), &file); err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for _, name := range []string{"docs/monitoring.md", "docs/operations.md"} {
		document, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(document), -1) {
			headings[name+"#"+strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(found[1], ",", "")), " ", "-")] = true
		}
	}
	names, rules := known(t), 0
	missing := []string{"bestpick_outcomes_uncounted", "bestpick_studies_due"}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			rules++
			missing = slices.DeleteFunc(missing, func(name string) bool { return strings.Contains(rule.Expr, name) })
			if unknown := unknownIn(rule.Expr, names); rule.Expr == "" || unknown != nil ||
				!strings.Contains(rule.Expr, `job="bestpick"`) {
				t.Errorf("%s: %q are unknown in %s", rule.Alert, unknown, rule.Expr)
			}
			if a := rule.Annotations; a["summary"] == "" || a["action"] == "" || !headings[a["runbook"]] {
				t.Errorf("%s has the annotations %v", rule.Alert, a)
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("no alert uses %q", missing)
	}
	var prometheus struct {
		RuleFiles []string `yaml:"rule_files"`
		Scrape    []struct {
			Job           string `yaml:"job_name"`
			Authorization struct {
				File string `yaml:"credentials_file"`
			} `yaml:"authorization"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(deployed(t, "prometheus", "prometheus.yml"), &prometheus); err != nil {
		t.Fatal(err)
	}
	if rules == 0 || len(prometheus.RuleFiles) != 1 || len(prometheus.Scrape) != 1 || prometheus.Scrape[0].Job != "bestpick" ||
		prometheus.Scrape[0].Authorization.File == "" {
		t.Errorf("%d rules, %+v", rules, prometheus)
	}
}
