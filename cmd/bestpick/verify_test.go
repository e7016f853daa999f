package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/store/sqlite"
	"bestpick/study"
)

// exportStudy writes the export of a small study to a file.
func exportStudy(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	database, path := filepath.Join(folder, "studies.db"), filepath.Join(folder, "export.jsonl")
	if err := keepLamps(t.Context(), database, study.Open); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	var text bytes.Buffer
	if err := study.Export(t.Context(), store, "lamps", &text); err != nil {
		t.Fatal(err)
	}
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
