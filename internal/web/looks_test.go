package web_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// drawn returns arms with pictures.
func drawn() string {
	var arms strings.Builder
	arms.WriteString("id,label,description,image,price,material\n")
	for i, name := range []string{"Orb", "Reed", "Fold", "Arm", "Dome", "Pebble"} {
		shade := fmt.Sprintf("%02x%02x%02x", 90+25*i, 200-20*i, 120+20*i)
		drawing := url.PathEscape(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><circle cx="20" cy="15" r="12" fill="#` + shade + `"/></svg>`)
		fmt.Fprintf(&arms, "%d,%s,A lamp for every room,\"data:image/svg+xml,%s\",%d,%s\n", i, name, drawing, 50+10*i*i,
			[]string{"glass", "steel", "paper"}[i%3])
	}
	return arms.String()
}

// wordy returns arms with long texts and long words.
func wordy() string {
	long := strings.Repeat("Lampenschirm", 6)
	var arms strings.Builder
	arms.WriteString("id,label,description,price," + long + "\n")
	for i := range 5 {
		fmt.Fprintf(&arms, "%d,%s %d,%s,%d,%s\n", i, long, i, strings.Repeat("It fits into every room of the house. ", 12)+long, i*i,
			[]string{long, "none"}[i%2])
	}
	return arms.String()
}

// targets is a script that returns the clickable elements that are too small for a thumb. A card
// counts as one element.
const targets = `[...document.querySelectorAll('a, .card, button:not(.pick)')].filter((each) => each.checkVisibility())
	.filter((each) => { const box = each.getBoundingClientRect(); return box.width < 44 || box.height < 44; }).map((each) => each.outerHTML)`

// screenshots reports whether all pages are shown, to save them as BESTPICK_SCREENSHOTS says.
func screenshots() bool { return os.Getenv("BESTPICK_SCREENSHOTS") != "" }

// keep saves a screenshot if BESTPICK_SCREENSHOTS names a directory.
func keep(w *browser.Window, name string) {
	if screenshots() {
		w.FullScreenshot(os.Getenv("BESTPICK_SCREENSHOTS") + "/" + name + ".png")
	}
}

// A look is a window in which pages are checked.
type look struct {
	name  string
	view  browser.View
	pages string // the pages that are always checked; others are similar
}

func allLooks() []look {
	dark, night, contrast := browser.Phone(), browser.Desktop(), browser.Phone()
	dark.Dark, night.Dark, contrast.Contrast = true, true, true
	return []look{
		{"phone", browser.Phone(), "rank pictures segments unknown long"},
		{"desktop", browser.Desktop(), "pick"},
		{"phone-dark", dark, "rank over"},
		{"desktop-dark", night, "pictures"},
		{"phone-contrast", contrast, "rank"},
	}
}

// at checks that pages are accessible in light and dark mode, fit into the window, and load their
// pictures. It saves screenshots if BESTPICK_SCREENSHOTS names a directory.
func (l look) at(s *stage, b *browser.Browser) {
	w := b.Open(s.T, l.view)
	w.Expect("404")
	for page, show := range map[string]func(){
		"pick": func() {
			w.Go(s.page(s.open(lamps(), wire.Settings{K: 3, Each: 20})))
			shown(w, 1)
		},
		"rank": func() {
			w.Go(s.page(s.open(lamps(), wire.Settings{K: 4, Picks: 3})))
			shown(w, 1)
			w.Click(nth(2))
			w.Wait("document.querySelector('.card[data-rank]')")
		},
		"over": func() {
			id := s.open(lamps(), wire.Settings{K: 3})
			testsupport.Value(s.owner.Close(s.Context(), id)).OrFail(s)
			w.Go(s.page(id))
			w.WaitText("h1", "Thank you!")
		},
		"pictures": func() {
			w.Go(s.page(s.open(drawn(), wire.Settings{K: 3, Each: 20})))
			shown(w, 1)
			w.Wait("[...document.querySelectorAll('.picture img')].filter((image) => image.naturalWidth).length === 3")
		},
		"plain": func() {
			w.Go(s.page(s.open(drawn(), wire.Settings{K: 3, Each: 20, Plain: true})))
			shown(w, 1)
		},
		"long": func() {
			w.Go(s.page(s.open(wordy(), wire.Settings{K: 3, Each: 20})))
			shown(w, 1)
		},
		"enough": func() {
			w.Go(s.page(s.open(lamps(), wire.Settings{K: 3, Each: 1})))
			shown(w, 1)
			w.Click(nth(1))
			w.WaitText("h1", "Thank you!")
		},
		"segments": func() {
			model := &wire.Model{Segments: []wire.Segment{{Name: "At home", Share: 1}, {Name: "In an office", Share: 2}}}
			w.Go(s.page(s.open(lamps(), wire.Settings{K: 3, Model: model})))
			w.WaitText("h1", "Before we begin")
		},
		"unknown": func() {
			w.Go(s.page("nowhere"))
			w.WaitText("h1", "There is no study here")
		},
	} {
		if !screenshots() && !strings.Contains(l.pages, page) {
			continue
		}
		show()
		w.Accessible()
		fits(w, page+" on a "+l.name, l.view.Width)
		if small := browser.Eval[[]string](w, targets); len(small) > 0 {
			s.Errorf("%s on a %s has targets that are too small: %q", page, l.name, small)
		}
		keep(w, page+"-"+l.name)
	}
}
