package main

import (
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReleaseRefusesUnknownPlatforms(t *testing.T) {
	if err := release(t.Context(), t.TempDir(), []string{"linux"}); err == nil {
		t.Error("a platform without a processor is built")
	}
}

// TestDescribe: the list has the program, Go and every module, with replacements, and the time of the commit.
func TestDescribe(t *testing.T) {
	list := describe(&debug.BuildInfo{
		GoVersion: "go1.26",
		Settings:  []debug.BuildSetting{{Key: "vcs.time", Value: "2026-11-17T00:00:00Z"}, {Key: "vcs.revision", Value: "abc"}},
		Deps: []*debug.Module{
			{Path: "example.com/a", Version: "v1.0.0"},
			{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v2.0.0"}},
		},
	})
	var got []string
	for _, one := range list.Packages {
		got = append(got, one.Name+" "+one.Version)
	}
	want := []string{"bestpick abc", "stdlib go1.26", "example.com/a v1.0.0", "example.com/c v2.0.0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(list.Relationships) != len(list.Packages) || list.Created.Created != "2026-11-17T00:00:00Z" {
		t.Errorf("%d relationships, created %s", len(list.Relationships), list.Created.Created)
	}
}
