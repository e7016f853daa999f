package main

import (
	"bytes"
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"bestpick/cmd/bestpick/command"
	"bestpick/internal/testsupport"
)

// TestBuild: the commit and its time come from the build information of the binary.
func TestBuild(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{
		{Key: "vcs", Value: "git"},
		{Key: "vcs.revision", Value: "0123abcd"},
		{Key: "vcs.time", Value: "2026-11-16T07:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}}
	got := newBuild(info)
	want := build{Version: command.Release, Commit: "0123abcd", Time: "2026-11-16T07:00:00Z", Modified: true, Go: "go1.26.8"}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for name, c := range map[string]struct {
		build build
		want  string
	}{
		"modified": {got, "bestpick " + command.Release + "\ncommit   0123abcd, modified\ngo       go1.26.8\n"},
		"clean": {
			build{Version: "1.2.3", Commit: "0123abcd", Go: "go1.26.8"},
			"bestpick 1.2.3\ncommit   0123abcd\ngo       go1.26.8\n",
		},
		"unknown": {build{Version: "1.2.3", Go: "go1.26.8"}, "bestpick 1.2.3\ncommit   unknown\ngo       go1.26.8\n"},
	} {
		if text := c.build.text(); text != c.want {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestVersionJSON(t *testing.T) {
	var out, errOut bytes.Buffer
	if status := run([]string{"version", "--json"}, strings.NewReader(""), &out, &errOut); status != command.ExitOK {
		t.Fatal(errOut.String())
	}
	var b build
	testsupport.NoError(t, json.Unmarshal(out.Bytes(), &b))
	if b.Version != command.Release || b.Go != runtime.Version() {
		t.Errorf("%+v", b)
	}
}
