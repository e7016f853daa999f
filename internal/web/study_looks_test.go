package web_test

import (
	"strings"

	"bestpick/internal/browser"
	"bestpick/internal/study/owner"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

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
				w.Wait("document.querySelector('#eliminated') && document.querySelector('#content').dataset.live")
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
