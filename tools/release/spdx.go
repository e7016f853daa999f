package main

import (
	"fmt"
	"regexp"
	"runtime/debug"
)

// A document lists the modules in a binary, in the format of SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3).
type document struct {
	SPDXVersion   string         `json:"spdxVersion"`
	DataLicense   string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Created       creation       `json:"creationInfo"`
	Packages      []module       `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type module struct {
	ID               string      `json:"SPDXID"`
	Name             string      `json:"name"`
	Version          string      `json:"versionInfo"`
	DownloadLocation string      `json:"downloadLocation"`
	FilesAnalyzed    bool        `json:"filesAnalyzed"`
	References       []reference `json:"externalRefs,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// describe returns the modules that the Go command recorded in a binary. The time of the document is
// that of the commit, so that the same source gives the same document.
func describe(info *debug.BuildInfo) document {
	created, commit := "1970-01-01T00:00:00Z", "unknown"
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.time":
			created = setting.Value
		case "vcs.revision":
			commit = setting.Value
		}
	}
	const whole, program, name = "SPDXRef-DOCUMENT", "SPDXRef-bestpick", "bestpick"
	d := document{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", ID: whole, Name: name,
		Namespace:     "urn:bestpick:spdx:" + commit,
		Created:       creation{Created: created, Creators: []string{"Tool: bestpick-release"}},
		Packages:      []module{{ID: program, Name: name, Version: commit, DownloadLocation: "NOASSERTION"}},
		Relationships: []relationship{{whole, "DESCRIBES", program}},
	}
	standard := &debug.Module{Path: "stdlib", Version: info.GoVersion}
	for _, dependency := range append([]*debug.Module{standard}, info.Deps...) {
		if dependency.Replace != nil {
			dependency = dependency.Replace
		}
		id := "SPDXRef-" + notInID.ReplaceAllString(dependency.Path+"-"+dependency.Version, "-")
		d.Packages = append(d.Packages, module{
			ID: id, Name: dependency.Path, Version: dependency.Version, DownloadLocation: "NOASSERTION",
			References: []reference{{"PACKAGE-MANAGER", "purl", fmt.Sprintf("pkg:golang/%s@%s", dependency.Path, dependency.Version)}},
		})
		d.Relationships = append(d.Relationships, relationship{program, "DEPENDS_ON", id})
	}
	return d
}
