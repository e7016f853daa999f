package browser

import "github.com/chromedp/cdproto/emulation"

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
