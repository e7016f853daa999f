package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"bestpick/client"
	"bestpick/cmd/bestpick/command"
	"bestpick/internal/testsupport"
	"bestpick/serve"
)

// TestJSONFlag: every command has --json, unless it has no result to report.
func TestJSONFlag(t *testing.T) {
	without := []string{"serve", "worker", "engine", "help", "completion", "man", "complete", "token revoke"}
	var c commands
	parser := testsupport.Value(kong.New(&c)).OrFail(t)
	for _, node := range parser.Model.Leaves(false) {
		has := slices.Contains(flagNames(node), "--json")
		if path := strings.TrimPrefix(node.Path(), parser.Model.Name+" "); has == slices.Contains(without, path) {
			t.Errorf("%s: --json is %v", path, has)
		}
	}
}

// TestJSONDocuments: with --json, the commands that copy studies, ask and create tokens print one JSON document and
// nothing else.
func TestJSONDocuments(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	id := newStudyFile(t, at("studies.db"))
	for _, step := range []struct {
		arguments string
		want      map[string]any
	}{
		{"backup --database studies.db --out backup.db", map[string]any{
			"from": at("studies.db"), "to": at("backup.db"),
			"studies": 1.0, "outcomes": 0.0,
		}},
		{"restore backup.db --database restored.db", map[string]any{"from": at("backup.db"), "to": at("restored.db"), "studies": 1.0}},
		{"move ID --from studies.db --to moved.db --delete", map[string]any{
			"study": id, "name": "Letters", "state": "draft",
			"to": at("moved.db"), "deleted": true,
		}},
		{"token add Zoë --role viewer --database moved.db", map[string]any{"name": "Zoë", "role": "viewer"}},
		{"ask ../../examples/lamps.csv --answers answers.jsonl", map[string]any{
			"status": "asking", "answers": 2.0,
			"file": at("answers.jsonl"),
		}},
	} {
		arguments := strings.Fields(strings.ReplaceAll(step.arguments, "ID", id))
		for i, argument := range arguments {
			if i > 0 && (strings.HasSuffix(argument, "db") || strings.HasSuffix(argument, "jsonl")) {
				arguments[i] = at(argument)
			}
		}
		var out, errOut bytes.Buffer
		if status := run(append(arguments, "--json"), strings.NewReader("1\n2\nq\n"), &out, &errOut); status != command.ExitOK {
			t.Fatalf("%s: exit status %d, %s", step.arguments, status, errOut.String())
		}
		var got map[string]any
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v in %s", step.arguments, err, out.String())
		}
		for field, want := range step.want {
			if got[field] != want {
				t.Errorf("%s: %s is %v, want %v", step.arguments, field, got[field], want)
			}
		}
	}
}

// newStudyFile creates a database file with a draft, and returns the ID of the draft.
func newStudyFile(t *testing.T, path string) string {
	t.Helper()
	service := testsupport.Value(serve.New(t.Context(), path, serve.Options{})).OrFail(t)
	server := httptest.NewServer(service)
	defer func() {
		server.Close()
		service.EndStreams()
		if err := service.Close(); err != nil {
			t.Error(err)
		}
	}()
	secret := testsupport.Value(service.AddFirstOwner(t.Context())).OrFail(t)
	owner := &client.Client{URL: server.URL, Token: secret}
	created, err := owner.Create(t.Context(), client.NewStudy{
		Name:      "Letters",
		Catalogue: client.File{Name: "letters.csv", Contents: strings.NewReader("id,x\na,1\nb,2\nc,3\n")},
	})
	testsupport.NoError(t, err)
	return created.Study.ID
}
