package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// release is the version of this program. Metrics, traces and the OpenAPI description report it, too.
const release = "0.2.0"

// versionCommand prints which build of the program this is.
type versionCommand struct {
	jsonFlag `embed:""`
}

// A build identifies the program and the source it was built from.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`   // empty if built outside a repository
	Time     string `json:"time,omitempty"`     // of the commit, RFC 3339
	Modified bool   `json:"modified,omitempty"` // the source differed from the commit
	Go       string `json:"go"`
}

// Run prints the build.
func (c *versionCommand) Run(s streams) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: runtime.Version()}
	}
	b := newBuild(info)
	return c.write(s.out, b, b.print)
}

// newBuild returns the build that the Go command recorded in the binary.
func newBuild(info *debug.BuildInfo) build {
	b := build{Version: release, Go: info.GoVersion}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Time = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

func (b build) print(out io.Writer) error {
	commit := b.Commit
	switch {
	case commit == "":
		commit = "unknown"
	case b.Modified:
		commit += ", modified"
	}
	_, err := fmt.Fprintf(out, "bestpick %s\ncommit   %s\ngo       %s\n", b.Version, commit, b.Go)
	return err
}
