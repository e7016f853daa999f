package web_test

import (
	"net/http/httptest"
	"strings"

	"bestpick/internal/browser"
	"bestpick/internal/picture"
	"bestpick/internal/web"
)

// brokenPictures: an owner who sets up a study is warned of pictures that cannot be loaded, and the preview shows
// neither the browser's icon of a broken picture nor a gap.
func brokenPictures(s *stage, b *browser.Browser) {
	server := httptest.NewServer(web.Handler(s.studies, web.Options{
		Tokens: s.store, Audit: s.store,
		Pictures: picture.NewLinks(false),
	}))
	s.Cleanup(server.Close)
	w := b.Open(s.T, browser.Desktop())
	w.Expect("net::ERR")
	w.Cookie(server.URL, "session", s.session(s.secret))
	w.Go(server.URL + "/new")
	broken := strings.Replace(drawn(), "data:image/svg+xml,", "https://127.0.0.1:9/", 1)
	w.Upload("#catalogue", s.file("lamps.csv", broken))
	w.Wait("document.querySelector('.warnings li')?.innerText.startsWith('1 of 6 pictures cannot be loaded: https://127.0.0.1:9/')")
	w.Wait("document.querySelectorAll('.sample .card').length === 3 && " +
		"document.querySelectorAll('.sample .picture img').length === 2")
	w.Wait("document.querySelector('.sample .picture').offsetHeight === 0")
}
