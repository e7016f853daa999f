package api_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDescribedProblems: the document lists and explains every type of problem.
func TestDescribedProblems(t *testing.T) {
	s := begin(t, setting{idle: true})
	source, err := os.ReadFile("../../wire/problem.go")
	s.must(err)
	kind := at(s.description().whole, "components", "schemas", "Problem", "properties", "type")
	described, _ := at(kind, "description").(string)
	listed, _ := at(kind, "enum").([]any)
	declared := regexp.MustCompile(`(?m)^\t\w+ += "(urn:bestpick:([a-z-]+))"`).FindAllStringSubmatch(string(source), -1)
	if len(declared) == 0 || len(declared) != len(listed) {
		t.Errorf("%d types of problems are declared, %d listed", len(declared), len(listed))
	}
	for _, one := range declared {
		if !slices.Contains(listed, any(one[1])) || !strings.Contains(described, one[2]+": ") {
			t.Errorf("%s is not in the document", one[1])
		}
	}
}

// TestDescribedEvents: the document has the data of events, and the request of the webhook.
func TestDescribedEvents(t *testing.T) {
	s := begin(t, setting{idle: true})
	whole := s.description().whole
	events, _ := at(whole, "paths", "/studies/{study}/events", "get", "responses", "200", "content", "text/event-stream", "schema", "items", "oneOf").([]any)
	for i, schema := range []string{"Verdict", "Problem"} {
		if len(events) != 2 || at(events[i], "properties", "data", "$ref") != "#/components/schemas/"+schema {
			t.Errorf("the events are %v", events)
		}
	}
	if body := at(whole, "webhooks", "study-done", "post", "requestBody", "content", "application/json", "schema", "$ref"); body != "#/components/schemas/Notice" {
		t.Errorf("the webhook sends %v", body)
	}
}

// at returns a part of a JSON value, nil if there is none.
func at(value any, path ...string) any {
	for _, step := range path {
		object, _ := value.(map[string]any)
		value = object[step]
	}
	return value
}
