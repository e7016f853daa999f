package web_test

import (
	"errors"
	"image"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bestpick/internal/browser"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/picture"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
)

// TestUploadedPictures: pictures that come with a table, beside it or in a ZIP archive, are on the cards, and served
// so that browsers keep them and run nothing.
func TestUploadedPictures(t *testing.T) {
	s := begin(t)
	c := s.visit(s.owner.Token)
	const csv = "id,image,x\n1,a.png,1\n2,b.png,3\n3,c.png,4\n"
	a, b := cataloguetest.PNG(t, 10), cataloguetest.PNG(t, 200)
	for what, files := range map[string][]sentFile{
		"beside": {{"catalogue", "t.csv", csv}, {"pictures", "a.png", a}, {"pictures", "b.png", b}},
		"ZIP":    {{"catalogue", "t.zip", cataloguetest.ZIP(t, map[string]string{"t.csv": csv, "in/a.png": a, "b.png": b})}},
	} {
		location, problems := s.create(c, map[string]string{
			"name": what, "k": "3", "picks": "1", "delta": "0.05", "epsilon": "0",
			"then": "open",
		}, files...)
		address, is := strings.CutPrefix(location, "/studies/")
		id, _, _ := strings.Cut(address, "/")
		if !is || len(problems) > 0 {
			t.Fatalf("%s: %q, %v", what, location, problems)
		}
		page := got(t, s.page(id), http.Header{})
		if n := strings.Count(page, `src="/s/`+id+`/pictures/`); n != 2 {
			t.Errorf("%s: %d pictures in %s", what, n, page)
		}
		_, after, _ := strings.Cut(page, `src="/s/`+id+`/pictures/`)
		hash, _, _ := strings.Cut(after, `"`)
		h := http.Header{}
		content := got(t, s.page(id)+"/pictures/"+hash, h)
		if _, format, err := image.Decode(strings.NewReader(content)); err != nil || "image/"+format != h.Get("Content-Type") {
			t.Errorf("%s: %v, %s", what, err, h.Get("Content-Type"))
		}
		if h.Get("Cache-Control") != "public, max-age=31536000, immutable" || h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; sandbox" {
			t.Errorf("%s: %v", what, h)
		}
	}
	if _, problems := s.create(c, map[string]string{"name": "x", "k": "3", "picks": "1"}, sentFile{"catalogue", "t.csv", csv},
		sentFile{"pictures", "a.png", "<svg/>"}); !strings.Contains(problems["catalogue"],
		"the file is not a JPEG, PNG, GIF or WebP picture") {
		t.Errorf("%v", problems)
	}
	if text := got(t, s.page("none")+"/pictures/"+strings.Repeat("0", 32), http.Header{}); !strings.HasPrefix(text, "404") {
		t.Error(text)
	}
}

// got returns the body of a page, and copies its headers.
func got(t *testing.T, address string, headers http.Header) string {
	t.Helper()
	r := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)).OrFail(t)
	reply, err := http.DefaultClient.Do(r)
	testsupport.NoError(t, err)
	content, err := io.ReadAll(reply.Body)
	testsupport.NoError(t, errors.Join(err, reply.Body.Close()))
	maps.Copy(headers, reply.Header)
	return string(content)
}

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
	w.Wait("(document.querySelector('#preview iframe')?.srcdoc.match(/class=\"card\"/g) ?? []).length === 3")
}
