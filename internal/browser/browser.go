// Package browser drives a real browser in tests: windows of phones and desktops, whose test fails if the
// console has an error, or if a request leaves the machine.
package browser

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// A Browser is a Chromium that runs until the test ends.
type Browser struct {
	context context.Context //nolint:containedctx // it is what the browser is, to chromedp
}

// Start starts one, without windows on a screen. Where there is none the test is skipped, unless CI is set.
func Start(t *testing.T) *Browser {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell") // takes a third of the processor time
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no chromium; make setup installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.IgnoreCertErrors,               // servers of tests have certificates of their own making
		chromedp.Flag("site-per-process", true), // as browsers of people
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"),
		// a mouse
		chromedp.Flag("blink-settings", "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"),
	)
	ctx, cancel := chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &Browser{ctx}
}

// Dark has the page shown in dark colours from now on, or in light ones, at once and without moving.
func (w *Window) Dark(is bool) {
	w.Helper()
	scheme := "light"
	if is {
		scheme = "dark"
	}
	call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// Drop drags files from outside the browser over the middle of the first element of a selector, and lets them go.
func (w *Window) Drop(selector string, paths ...string) {
	w.Helper()
	at := Eval[struct{ X, Y float64 }](w, "(() => { const e = document.querySelector("+quote(selector)+"); "+
		"e.scrollIntoView({block: 'center'}); "+
		"const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; })()")
	data := &input.DragData{Items: []*input.DragDataItem{}, Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{
		input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop,
	} {
		call(w, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data})
	}
}

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

// Accessible fails the test if people who see, hear or move differently meet an obstacle on the page, as far as a program
// can tell.
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

// findings are all violations that axe-core finds.
func (w *Window) findings(options string) []finding {
	w.Helper()
	if !Eval[bool](w, "'axe' in window") {
		Eval[bool](w, axe+"; true")
	}
	return Eval[[]finding](w, "axe.run("+options+").then((result) => result.violations)")
}
