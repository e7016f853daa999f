package observe

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"bestpick/internal/study"
)

// known returns all exported series with their labels.
func known(t *testing.T) map[string][]string {
	t.Helper()
	m := NewMetrics()
	m.Version("1")
	m.Recorded(study.Answered)
	m.Request("GET", "/", 200, time.Second)
	m.StoreLatency("record", time.Second)
	m.Planned(study.Planned{Study: "a"})
	m.WebhookAttempt("delivered")
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
		if found := regexp.MustCompile(`^label_values\((\w+), `).FindStringSubmatch(variable.Definition); found != nil && names[found[1]] == nil {
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
	document, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(document), -1) {
		headings["docs/operations.md#"+strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(found[1], ",", "")), " ", "-")] = true
	}
	names, rules := known(t), 0
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			rules++
			if unknown := unknownIn(rule.Expr, names); rule.Expr == "" || unknown != nil || !strings.Contains(rule.Expr, `job="bestpick"`) {
				t.Errorf("%s: %q are unknown in %s", rule.Alert, unknown, rule.Expr)
			}
			if a := rule.Annotations; a["summary"] == "" || a["action"] == "" || !headings[a["runbook"]] {
				t.Errorf("%s has the annotations %v", rule.Alert, a)
			}
		}
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
	if rules == 0 || len(prometheus.RuleFiles) != 1 || len(prometheus.Scrape) != 1 || prometheus.Scrape[0].Job != "bestpick" || prometheus.Scrape[0].Authorization.File == "" {
		t.Errorf("%d rules, %+v", rules, prometheus)
	}
}
