package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"bestpick/client"
	"bestpick/cmd/bestpick/command"
	"bestpick/cmd/bestpick/simulation"
	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/store"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/study/wiring"
	"bestpick/internal/testsupport"
	"bestpick/serve"
	"bestpick/strategy"
	"bestpick/strategy/racing"
)

var updateTables = flag.Bool("update-tables", false, "write the reports of TestRealTables")

// TestRealTables: real product tables are read without flags, and their reports are as expected, with
// at most ten lines of notes each.
func TestRealTables(t *testing.T) {
	const maxNotes = 10
	for _, name := range []string{"laptops.csv", "corolla.csv", "housing-melbourne.csv", "cars.json", "movies.json"} {
		t.Run(name, func(t *testing.T) {
			path := testsupport.DataPath(t, filepath.Join("tables", name))
			var out bytes.Buffer
			c := catalogueCommand{File: path, estimateFlags: estimateFlags{
				K: 3, Picks: 1, Each: 20, Delta: 0.05, Epsilon: 0.2,
				Assume: strategy.Linear,
			}}
			testsupport.NoError(t, c.Run(command.Streams{Out: &out, Err: &out}))
			got := strings.ReplaceAll(out.String(), path, name)
			notes := 0
			for line := range strings.Lines(got) {
				if strings.HasPrefix(line, "note ") || strings.HasPrefix(line, "warning ") || strings.HasPrefix(line, "left out ") {
					notes++
				}
			}
			if notes > maxNotes {
				t.Errorf("%d lines of notes", notes)
			}
			golden := filepath.Join("testdata", "tables", name+".txt")
			if *updateTables {
				testsupport.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want := testsupport.Value(os.ReadFile(golden)).OrFail(t)
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWriteFileModes: a new file has the default permissions; a replaced file keeps its permissions.
func TestWriteFileModes(t *testing.T) {
	folder := t.TempDir()
	mode := func(name string) os.FileMode {
		info := testsupport.Value(os.Stat(filepath.Join(folder, name))).OrFail(t)
		return info.Mode()
	}
	write := func(w io.Writer) error {
		_, err := io.WriteString(w, "arms")
		return err
	}
	testsupport.NoError(t, os.WriteFile(filepath.Join(folder, "usual"), nil, 0o666))
	if err := command.WriteFile(filepath.Join(folder, "new"), write); err != nil || mode("new") != mode("usual") {
		t.Errorf("%v, the mode is %v, usually %v", err, mode("new"), mode("usual"))
	}
	testsupport.NoError(t, os.Chmod(filepath.Join(folder, "new"), 0o640))
	before := mode("new")
	if err := command.WriteFile(filepath.Join(folder, "new"), write); err != nil || mode("new") != before {
		t.Errorf("%v, the mode is %v and was %v", err, mode("new"), before)
	}
	failure := errors.New("no")
	fail := func(io.Writer) error { return failure }
	if err := command.WriteFile(filepath.Join(folder, "failed"), fail); !errors.Is(err, failure) {
		t.Error(err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 2 {
		t.Errorf("%v, files %v", err, files)
	}
}

// lamps is the script command "lamps DATABASE STATE": it makes a database with a study in a state.
func lamps(ts *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) != 2 {
		ts.Fatalf("usage: lamps database state")
	}
	ts.Check(keepLamps(context.Background(), ts.MkAbs(arguments[0]), study.State(arguments[1])))
}

// keepLamps makes a database with the study lamps, which has five answers and ends in a state.
func keepLamps(ctx context.Context, path string, state study.State) (err error) {
	store, err := store.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	arms, err := archive.Open("../../examples/lamps.csv", catalogue.Options{}, 0)
	if err != nil {
		return err
	}
	var saved bytes.Buffer
	if err := archive.Save(&saved, &arms.Catalogue); err != nil {
		return err
	}
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	settings := study.Settings{Strategy: racing.Settings{K: 3}, Grace: -1}
	st := study.Study{
		ID: "lamps", Name: "Lamps", Settings: settings.WithDefaults(), State: study.Open, Version: 1, Created: now,
		Changed: now,
	}
	if err := store.Create(ctx, st, saved.Bytes()); err != nil {
		return err
	}
	service, err := wiring.New(ctx, store, wiring.Options{Name: "test", Clock: func() time.Time { return now }})
	if err != nil {
		return err
	}
	if err := answerFive(ctx, service); err != nil || state == study.Open {
		return err
	}
	_, err = service.Owner.SetState(ctx, st.ID, owner.Any, state)
	return err
}

func answerFive(ctx context.Context, service *wiring.Service) error {
	planner := service.Planning.Planner("lamps")
	for range 5 {
		if _, err := planner.Step(ctx); err != nil {
			return err
		}
		lease, err := service.Dispatch.Ask(ctx, "lamps", "anna", "")
		if err != nil {
			return err
		}
		if err := service.Dispatch.Answer(ctx, lease.Ticket, []int{1}); err != nil {
			return err
		}
	}
	return planner.Resign(ctx)
}

// TestConjointWalkThrough goes the way of docs/conjoint.md: what the camera study says is what
// examples/camera-utilities.csv holds, and a study of the profiles with these utilities finds the
// camera with the best level of every attribute.
func TestConjointWalkThrough(t *testing.T) {
	names := map[string]string{
		"canon": "brand=canon", "sony": "brand=sony", "nikon": "brand=nikon", "panasonic": "brand=panasonic", "pixels": "pixels=high",
		"zoom": "zoom=long", "video": "video=high", "swivel": "swivel", "wifi": "wifi", "price": "price",
	}
	report := fitJSON(t, testsupport.DataPath(t, "camera.csv"), "--features",
		"canon,sony,nikon,panasonic,pixels,zoom,video,swivel,wifi,price", "--respondent", "respondent")
	if report.Tasks != 5312 {
		t.Errorf("%d tasks", report.Tasks)
	}
	own, err := simulation.InstanceFlags{
		Catalogue: "../../examples/camera.yaml", Utilities: "../../examples/camera-utilities.csv",
	}.Make()
	testsupport.NoError(t, err)
	utilities := map[string]float64{}
	for _, parameter := range report.Parameters {
		utilities[names[parameter.Name]] = parameter.Estimate
	}
	fitted := testsupport.Value(own.Encoding.Theta(utilities)).OrFail(t)
	truth := own.Encoding.Effects(fitted)
	for i, effect := range own.Encoding.Effects(own.Theta) {
		approx.Equal(t, effect.String(), effect.Utility, truth[i].Utility, 6e-4)
	}
	var out, errOut bytes.Buffer
	arguments := []string{
		"simulate", "--catalogue", "../../examples/camera.yaml", "--utilities",
		"../../examples/camera-utilities.csv", "--k", "4", "--runs", "1", "--epsilon", "2", "--json",
	}
	if status := run(arguments, strings.NewReader(""), &out, &errOut); status != 0 {
		t.Fatalf("exit status %d: %s", status, errOut.String())
	}
	var study struct {
		Certified int    `json:"certified"`
		Correct   int    `json:"correct"`
		Best      string `json:"best"`
	}
	testsupport.NoError(t, json.Unmarshal(out.Bytes(), &study))
	if study.Certified != 1 || study.Correct != 1 ||
		study.Best != "brand=canon, pixels=high, zoom=long, video=high, swivel=yes, wifi=yes, price=0.79" {
		t.Errorf("%d certified, %d correct, best %s", study.Certified, study.Correct, study.Best)
	}
}

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
