package web_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/study/owner"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// drawn returns arms with pictures.
func drawn() string {
	var arms strings.Builder
	arms.WriteString("id,label,description,image,price,material\n")
	for i, name := range []string{"Orb", "Reed", "Fold", "Arm", "Dome", "Pebble"} {
		shade := fmt.Sprintf("%02x%02x%02x", 90+25*i, 200-20*i, 120+20*i)
		drawing := url.PathEscape(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><circle cx="20" cy="15" r="12" fill="#` +
			shade + `"/></svg>`)
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
			if l.view.Width < 640 && !screenshots() {
				w.Wait("document.querySelectorAll('.unfold').length === 3")
				w.Click(".unfold")
				w.Wait("document.querySelectorAll('.folded').length === 2")
			}
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

// ownerLooks: all pages of owners are accessible in light and dark mode, load little data, and fit
// on a phone. Screenshots are saved if BESTPICK_SCREENSHOTS names a directory, on a desktop, too.
func ownerLooks(s *stage, b *browser.Browser) {
	views := map[string]browser.View{"phone": browser.Phone()}
	if screenshots() {
		contrast := browser.Phone()
		contrast.Contrast = true
		views["desktop"], views["phone-contrast"] = browser.Desktop(), contrast
	}
	vera := s.token("Vera", access.Viewer)
	empty := begin(s.T)
	open := s.open(lamps(), wire.Settings{K: 3, Each: 20, Grace: -1})
	s.answerSome(open, 40)
	over := s.open(lamps(), wire.Settings{K: 3})
	_, err := s.owner.Close(s.Context(), over)
	s.must(err)
	draft := s.draft(drawn(), wire.Settings{K: 3, Delta: 0.02})
	_, err = s.owner.AddMembers(s.Context(), over, wire.NewMember{Name: "anna@example.com"}, wire.NewMember{Name: "Ben Brown"})
	s.must(err)
	lampsFile, wrongFile := s.file("lamps.csv", lamps()), s.file("wrong.csv", "id,price\n1,10\n2,20\n2,x\n3,30\n4,40\n")
	for name, view := range views {
		w := b.Open(s.T, view)
		w.Expect("403")
		look := func(page string) {
			s.Helper()
			keep(w, fmt.Sprintf("owner-%s-%s", page, name))
			w.Accessible()
			if !view.Contrast {
				w.Dark(true)
				w.Readable()
				keep(w, fmt.Sprintf("owner-%s-%s-dark", page, name))
				w.Dark(false)
			}
			fits(w, page+" on a "+name, view.Width)
			const most = 150 << 10 // bytes
			if weight := browser.Eval[float64](w,
				"performance.getEntries().reduce((sum, e) => sum + (e.transferSize || e.encodedBodySize || 0), 0)"); weight > most {
				s.Errorf("%s loads %v bytes", page, weight)
			}
		}
		w.Go(s.url)
		w.WaitText("h1", "bestpick")
		look("sign-in")
		empty.enter(w, empty.owner.Token, "/", "Studies")
		look("empty")
		s.enter(w, s.owner.Token, "/", "Studies")
		w.Wait("document.querySelectorAll('.study').length === 3")
		look("list")
		w.Go(s.url + "/new")
		w.WaitText("h1", "New study")
		look("new")
		w.Upload("#catalogue", wrongFile)
		w.Wait("document.querySelector('#catalogue-problem').textContent !== ''")
		press(w, "button[value=open]")
		w.Wait("!document.querySelector('#wrong').hidden")
		look("wrong")
		w.Upload("#catalogue", lampsFile)
		w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 3")
		look("recognised")
		w.Go(s.url + "/studies/" + draft + "/edit")
		w.WaitText("h1", "Edit study")
		look("edit")
		w.Go(s.url + "/studies/" + open + "/edit")
		w.WaitText("h1", "Edit study")
		look("edit-open")
		w.Go(s.url + "/studies/" + draft + "/edit?lang=de")
		w.WaitText("h1", "Umfrage bearbeiten")
		look("german")
		w.Go(s.url + "/studies/" + open + "/share?lang=en")
		w.WaitText("h1", "Share")
		look("share")
		w.Go(s.url + "/studies/" + over + "/panel")
		w.WaitText("h1", "Panel")
		look("panel")
		w.Go(s.url + "/people")
		w.WaitText("h1", "People")
		look("people")
		w.Go(s.url + "/audit")
		w.WaitText("h1", "Activity")
		look("audit")
		press(w, ".signed-in button")
		w.WaitText("h1", "bestpick")
		s.enter(w, vera, "/new", "Only owners can do that")
		look("forbidden")
	}
}

// answerSome has respondents pick the first card the given number of times.
func (s *stage) answerSome(id string, times int) {
	s.Helper()
	for i := range times {
		q := testsupport.Value(s.owner.Ask(s.Context(), id, wire.Ask{Respondent: fmt.Sprint("respondent ", i/20)})).OrFail(s)
		s.must(s.owner.Answer(s.Context(), id, q.Token, q.Arms[0].ID))
	}
}

// studyLooks: the page of a study is accessible and fits the window: new, under way and certified,
// in light and dark mode, on phones and desktops. Screenshots are saved if BESTPICK_SCREENSHOTS
// names a directory.
func studyLooks(s *stage, b *browser.Browser) {
	fresh := s.draft(lamps(), wire.Settings{K: 3})
	under := s.open(lamps(), quick())
	s.people(under, 150)
	s.counted(under, 150)
	sure := s.open(lamps(), quick())
	s.people(sure, 5000)
	public := testsupport.Value(s.studies.Owner.Publish(s.Context(), under, owner.Any, true)).OrFail(s)
	dark, night, contrast := browser.Phone(), browser.Desktop(), browser.Desktop()
	dark.Dark, night.Dark, contrast.Contrast = true, true, true
	for _, look := range []struct {
		name  string
		view  browser.View
		pages string
	}{
		{"phone", browser.Phone(), "german ask add public try"},
		{"desktop", browser.Desktop(), "fresh report"},
		{"phone-dark", dark, "sure"},
		{"desktop-dark", night, ""},
		{"desktop-contrast", contrast, ""},
	} {
		w := b.Open(s.T, look.view)
		s.signIn(w, s.secret)
		for page, address := range map[string]string{
			"fresh": s.results(fresh), "under": s.results(under), "sure": s.results(sure), "report": s.results(sure) + "/report",
			"ask": s.results(under) + "/delete", "add": s.results(under) + "/add",
			"german": s.results(under) + "?lang=de", "public": s.url + "/results/" + under + "/" + public.Public,
			"try": s.results(fresh) + "/try",
		} {
			if !screenshots() && !strings.Contains(look.pages, page) {
				continue
			}
			w.Cookie(s.url, "lang", "en") // the previous page chose another language
			w.Go(address)
			if page == "under" || page == "sure" || page == "german" {
				w.Wait("document.querySelector('#ranked') && document.querySelector('#content').dataset.live")
			}
			if page == "try" {
				shown(w, 1)
			}
			w.Accessible()
			fits(w, page+" on a "+look.name, look.view.Width)
			keep(w, "study-"+page+"-"+look.name)
		}
	}
}
