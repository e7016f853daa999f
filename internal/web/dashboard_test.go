package web_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// twelve returns arms with pictures and long names, the first ones more popular.
func twelve() string {
	var arms strings.Builder
	arms.WriteString("id,label,image,price,material\n")
	names := []string{"Orb", "Reed", "Fold large", "Arm of brass", "Dome", "Pebble", "Sunrise", "Kite", "Lantern with a long name", "Tulip", "Beam", "Halo"}
	for i, name := range names {
		drawing := url.PathEscape(fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30">`+
			`<circle cx="20" cy="15" r="12" fill="#%02x%02x%02x"/></svg>`, 90+12*i, 200-12*i, 120+10*i))
		fmt.Fprintf(&arms, "%d,%s,\"data:image/svg+xml,%s\",%d,%s\n", i, name, drawing, 40+7*i, []string{"glass", "steel", "paper"}[i%3])
	}
	return arms.String()
}

// visitors has people answer a majority study of twelve, five questions each, up to a number of answers or until it is
// done. Options of lower numbers are more popular.
func (s *stage) visitors(id string, answers int) {
	s.Helper()
	rng := rand.New(rand.NewPCG(3, 9))
	for n := range answers {
		q, err := s.owner.Ask(s.Context(), id, wire.Ask{Respondent: fmt.Sprint("visitor ", n/5)})
		if st := testsupport.Value(s.studies.Store.Study(s.Context(), id)).OrFail(s); st.State == study.Done {
			return
		}
		s.must(err)
		var picks []string
		left := append([]wire.Arm(nil), q.Arms...)
		for len(picks) < q.Picks {
			best, most := 0, math.Inf(-1)
			for i, arm := range left {
				var number float64
				_ = testsupport.Value(fmt.Sscan(arm.ID, &number)).OrFail(s)
				if u := -0.5*number - math.Log(rng.ExpFloat64()); u > most {
					best, most = i, u
				}
			}
			picks, left = append(picks, left[best].ID), append(left[:best:best], left[best+1:]...)
		}
		err = s.owner.Answer(s.Context(), id, q.Token, picks...)
		if st := testsupport.Value(s.studies.Store.Study(s.Context(), id)).OrFail(s); st.State == study.Done {
			return
		}
		s.must(err)
	}
	s.counted(id, answers)
}

// aboveTheFold: at the sizes of a laptop and a phone the verdict with its picture and the ranking of all twelve options
// are visible without scrolling, under way and at the end, in both languages.
func aboveTheFold(s *stage, b *browser.Browser) {
	settings := wire.Settings{K: 3, Each: 5, Grace: -1, Seed: 3, Assume: "majority", Epsilon: new(0.2)}
	under, sure := s.open(twelve(), settings), s.open(twelve(), settings)
	s.visitors(under, 60)
	s.visitors(sure, 3000)
	for name, view := range map[string]browser.View{
		"desktop": browser.Desktop(), "phone": {Width: 390, Height: 844, Touch: true}, "phone-dark": {Width: 390, Height: 844, Dark: true},
	} {
		w := b.Open(s.T, view)
		s.signIn(w, s.secret)
		for page, id := range map[string]string{"under": under, "sure": sure} {
			for _, language := range []string{"en", "de"} {
				w.Go(s.results(id) + "?lang=" + language)
				w.Wait("document.querySelector('#ranked') && " + isLive)
				w.Wait("document.querySelector('.lead img').naturalWidth > 0")
				const bottom = "Math.max(...[...document.querySelectorAll('.lead, .headline, #ranked .rows li')].map((each) => each.getBoundingClientRect().bottom))"
				if got := browser.Eval[float64](w, bottom); got > float64(view.Height) {
					s.Errorf("%s, %s, %s: the ranking ends at %.0f of %d pixels", page, name, language, got, view.Height)
				}
				if got := browser.Eval[int](w, "document.querySelectorAll('#ranked .rows li .row-picture').length"); got != 12 {
					s.Errorf("%s: %d options with pictures", page, got)
				}
				w.Accessible()
				fits(w, page+" on a "+name, view.Width)
				if screenshots() {
					w.Screenshot(os.Getenv("BESTPICK_SCREENSHOTS") + "/fold-" + page + "-" + name + "-" + language + ".png")
					keep(w, "whole-"+page+"-"+name+"-"+language)
				}
			}
		}
	}
}
