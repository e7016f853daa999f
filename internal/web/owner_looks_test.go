package web_test

import (
	"fmt"

	"bestpick/internal/access"
	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

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
		w.Wait("document.querySelectorAll('.sample .card').length === 3")
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
