//go:build long

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLongRelease: two releases of the same source are the same bytes, the checksums are those of the files,
// and the list has the modules of the program.
func TestLongRelease(t *testing.T) {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	first, second := t.TempDir(), t.TempDir()
	for _, folder := range []string{first, second} {
		if err := release(t.Context(), folder, []string{platform}); err != nil {
			t.Fatal(err)
		}
	}
	files, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 {
		t.Errorf("%d files", len(files))
	}
	sums := read(t, filepath.Join(first, "SHA256SUMS"))
	for _, file := range files {
		text := read(t, filepath.Join(first, file.Name()))
		if !bytes.Equal(text, read(t, filepath.Join(second, file.Name()))) {
			t.Errorf("%s differs between two builds", file.Name())
		}
		if file.Name() != "SHA256SUMS" && !strings.Contains(string(sums), digest(text)+"  "+file.Name()+"\n") {
			t.Errorf("SHA256SUMS lacks %s", file.Name())
		}
	}
	var list document
	if err := json.Unmarshal(read(t, filepath.Join(first, "bestpick.spdx.json")), &list); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, one := range list.Packages {
		if one.Version == "" || names[one.Name] {
			t.Errorf("package %q has no version or is repeated", one.Name)
		}
		names[one.Name] = true
	}
	for _, name := range []string{"bestpick", "stdlib", "gonum.org/v1/gonum", "github.com/alecthomas/kong"} {
		if !names[name] {
			t.Errorf("the list lacks %s", name)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
