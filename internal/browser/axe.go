package browser

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed testdata/axe/axe.min.js
var axe string

// A finding is what axe-core has found.
type finding struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Accessible fails the test if people who see, hear or move differently meet something serious on the page,
// as far as a program can tell.
func (w *Window) Accessible() {
	w.Helper()
	w.fail(w.findings("{resultTypes: ['violations']}"))
}

// Readable does the same for colours alone, which is all that differs between light and dark.
func (w *Window) Readable() {
	w.Helper()
	w.fail(w.findings("{resultTypes: ['violations'], runOnly: ['color-contrast']}"))
}

func (w *Window) fail(findings []finding) {
	w.Helper()
	for _, found := range findings {
		var text strings.Builder
		for _, node := range found.Nodes {
			fmt.Fprintf(&text, "\n%s\n%s", node.HTML, node.Summary)
		}
		w.Errorf("%s: %s (%s)%s", found.Impact, found.Help, found.ID, text.String())
	}
}

// findings are what is serious or worse.
func (w *Window) findings(options string) (serious []finding) {
	w.Helper()
	if !Eval[bool](w, "'axe' in window") {
		Eval[bool](w, axe+"; true")
	}
	for _, found := range Eval[[]finding](w, "axe.run("+options+").then((result) => result.violations)") {
		if found.Impact == "serious" || found.Impact == "critical" {
			serious = append(serious, found)
		}
	}
	return serious
}
