package web_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"bestpick/api/wire"
	"bestpick/internal/browser"
)

// drawn are arms with pictures.
func drawn() string {
	var arms strings.Builder
	arms.WriteString("id,label,description,image,price,material\n")
	for i, name := range []string{"Orb", "Reed", "Fold", "Arm", "Dome", "Pebble"} {
		shade := fmt.Sprintf("%02x%02x%02x", 90+25*i, 200-20*i, 120+20*i)
		drawing := url.PathEscape(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><circle cx="20" cy="15" r="12" fill="#` + shade + `"/></svg>`)
		fmt.Fprintf(&arms, "%d,%s,A lamp for every room,\"data:image/svg+xml,%s\",%d,%s\n", i, name, drawing, 50+10*i*i, []string{"glass", "steel", "paper"}[i%3])
	}
	return arms.String()
}

// targets are what can be hit and is smaller than a thumb wants it, of which a card is one.
const targets = `[...document.querySelectorAll('a, .card, button:not(.pick)')].filter((each) => each.checkVisibility())
	.filter((each) => { const box = each.getBoundingClientRect(); return box.width < 44 || box.height < 44; }).map((each) => each.outerHTML)`

// looks: every page is accessible in light and dark, on phones and desktops, and pictures are loaded. Where
// BESTPICK_SCREENSHOTS names a folder, how they look is kept there.
func looks(s *stage, b *browser.Browser) {
	pick := s.open(lamps(), wire.Settings{K: 3, Each: 20})
	rank := s.open(lamps(), wire.Settings{K: 4, Picks: 3})
	pictures := s.open(drawn(), wire.Settings{K: 3, Each: 20})
	segments := s.open(lamps(), wire.Settings{K: 3, Model: &wire.Model{Segments: []wire.Segment{{Name: "At home", Share: 1}, {Name: "In an office", Share: 2}}}})
	over := s.open(lamps(), wire.Settings{K: 3})
	_, err := s.owner.Close(s.Context(), over)
	s.must(err)
	folder := os.Getenv("BESTPICK_SCREENSHOTS")
	dark, night, contrast := browser.Phone(), browser.Desktop(), browser.Phone()
	dark.Dark, night.Dark, contrast.Contrast = true, true, true
	for _, look := range []struct {
		name  string
		view  browser.View
		pages string
	}{
		{"phone", browser.Phone(), "pick rank over pictures segments unknown"},
		{"desktop", browser.Desktop(), "rank"},
		{"phone-dark", dark, "rank over"},
		{"desktop-dark", night, "pictures"},
		{"phone-contrast", contrast, "rank"},
	} {
		w := b.Open(s.T, look.view)
		w.Expect("404")
		for page, show := range map[string]func(){
			"pick": func() { w.Go(s.page(pick)); shown(w, 1) },
			"rank": func() {
				w.Go(s.page(rank))
				shown(w, 1)
				w.Click(nth(2))
				w.Wait("document.querySelector('.card[data-rank]')")
			},
			"over": func() { w.Go(s.page(over)); w.WaitText("h1", "Thank you!") },
			"pictures": func() {
				w.Go(s.page(pictures))
				shown(w, 1)
				w.Wait("[...document.querySelectorAll('.picture img')].filter((image) => image.naturalWidth).length === 3")
			},
			"segments": func() { w.Go(s.page(segments)); w.WaitText("h1", "Before we begin") },
			"unknown":  func() { w.Go(s.page("nowhere")); w.WaitText("h1", "There is no study here") },
		} {
			if folder == "" && !strings.Contains(look.pages, page) {
				continue
			}
			show()
			w.Accessible()
			if wide := browser.Eval[float64](w, "document.documentElement.scrollWidth"); wide > float64(look.view.Width) {
				s.Errorf("%s on a %s is %v pixels wide", page, look.name, wide)
			}
			if small := browser.Eval[[]string](w, targets); len(small) > 0 {
				s.Errorf("%s on a %s has targets that are too small: %q", page, look.name, small)
			}
			if folder != "" {
				w.Screenshot(folder + "/" + page + "-" + look.name + ".png")
			}
		}
	}
}
