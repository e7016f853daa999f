package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bestpick/catalogue"
	"bestpick/store/sqlite"
	"bestpick/strategy"
	"bestpick/study"
)

// exportStudy writes the export of a small study to a file.
func exportStudy(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	store, err := sqlite.Open(filepath.Join(folder, "studies.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	arms, err := catalogue.Open("../../examples/lamps.csv", catalogue.Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var saved, text bytes.Buffer
	if err := catalogue.Save(&saved, &arms.Saved); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	settings := study.Settings{Strategy: strategy.Settings{K: 3}, Grace: -1}
	lamps := study.Study{ID: "lamps", Name: "Lamps", Settings: settings.WithDefaults(), State: study.Open, Version: 1, Created: now, Changed: now}
	if err := store.Create(t.Context(), lamps, saved.Bytes()); err != nil {
		t.Fatal(err)
	}
	service, err := study.NewService(t.Context(), store, study.Options{Name: "test", Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	planner := service.Planner("lamps")
	for range 5 {
		if _, err := planner.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		lease, err := service.Ask(t.Context(), "lamps", "anna", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := service.Answer(t.Context(), "lamps", lease.Token, []int{1}); err != nil {
			t.Fatal(err)
		}
	}
	if err := study.Export(t.Context(), store, "lamps", &text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "export.jsonl")
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestVerify: an export agrees with itself; one with a pick altered does not.
func TestVerify(t *testing.T) {
	path := exportStudy(t)
	var out, errOut bytes.Buffer
	if status := run([]string{"verify", path}, strings.NewReader(""), &out, &errOut); status != 0 || !strings.Contains(out.String(), "counted   4 answers") {
		t.Fatalf("exit status %d, %s%s", status, out.String(), errOut.String())
	}
	out.Reset()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if status := run([]string{"verify", "--json", "-"}, bytes.NewReader(text), &out, &errOut); status != 0 || !strings.Contains(out.String(), `"agrees": true`) {
		t.Fatalf("exit status %d, %s%s", status, out.String(), errOut.String())
	}
	out.Reset()
	altered := strings.Replace(string(text), `"picks":[1]`, `"picks":[0]`, 1)
	status := run([]string{"verify", "-"}, strings.NewReader(altered), &out, &errOut)
	if status != wrongInput || out.Len() > 0 || !strings.Contains(errOut.String(), "bestpick: standard input: study: plan 2: ") {
		t.Errorf("exit status %d, %s%s", status, out.String(), errOut.String())
	}
}
