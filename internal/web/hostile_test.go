package web_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"

	"bestpick/client"
	"bestpick/internal/browser"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

// hostile is a text that would be harmful as HTML, as an attribute or as script.
const hostile = `</script></template><img src=x onerror=alert(1)>"'><svg onload=alert(1)>{{.}} ${alert(1)} javascript:alert(1)`

// hostileArms returns arms with the hostile text in all columns, and invalid pictures.
func hostileArms() string {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	_ = w.Write([]string{"id", "label", "description", "image", "size", "kind " + hostile}) // a buffer never fails
	for i, image := range []string{
		"javascript:alert(1)//.png", "data:text/html,<script>alert(1)</script>.png", `https://x" onerror="alert(1).png`,
		"vbscript:x.png", "file:///etc/passwd.png", "//elsewhere.example/x.png",
	} {
		_ = w.Write([]string{strconv.Itoa(i) + hostile, hostile, hostile, image, strconv.Itoa(i * i), []string{"a", hostile}[i%2]})
	}
	w.Flush()
	return text.String()
}

// hostileTexts: hostile texts are shown as text, on the first page and on later ones.
func hostileTexts(s *stage, b *browser.Browser) {
	s.prompt = hostile
	id := s.open(hostileArms(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Desktop())
	w.Expect("403")
	w.Go(s.page(id) + "?key=%3Cscript%3Ealert(1)%3C/script%3E&lang=%22%3E")
	w.WaitText("h1", "By invitation only")
	w.Go(s.page(id) + "?segment=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E&lang=%22%3E&notice=%3Cb%3E")
	for question := 1; question < 3; question++ {
		shown(w, question)
		if got := browser.Eval[string](w, "document.querySelector('.pick').textContent"); got != hostile {
			s.Errorf("the label is shown as %q", got)
		}
		if got := browser.Eval[string](w, "document.title === document.querySelector('h1').textContent ? document.title : ''"); got != hostile {
			s.Errorf("the prompt is shown as %q", got)
		}
		if n := browser.Eval[int](w,
			"document.querySelectorAll('#stage img, #stage script, #stage .card svg, [onerror], [onload], "+
				"[src^=javascript]').length"); n != 0 {
			s.Errorf("%d elements were created from text", n)
		}
		w.Click(nth(1))
	}
	shown(w, 3)
}

// hostileContexts: texts in contexts are shown as text or as Markdown without HTML, and without the names of the arms.
func hostileContexts(s *stage, b *browser.Browser) {
	for _, format := range []string{"plain", "markdown"} {
		id := s.draft("id,label\na,Arm A\nb,Arm B\nc,Arm C\n", wire.Settings{K: 3})
		var texts bytes.Buffer
		w := csv.NewWriter(&texts)
		_ = w.Write([]string{"arm", "context", "text"}) // a buffer never fails
		for _, arm := range []string{"a", "b", "c"} {
			_ = w.Write([]string{arm, "context " + hostile, "**bold** " + hostile + "\n\n| a | b |\n|:--|--:|\n| <b onload=x> | " +
				hostile + " |\n"})
		}
		w.Flush()
		_, err := s.owner.SetContexts(s.Context(), id, 0, client.File{Name: "texts.csv", Contents: &texts}, format)
		s.must(err)
		testsupport.Value(s.owner.Open(s.Context(), id)).OrFail(s)
		window := b.Open(s.T, browser.Phone())
		window.Go(s.page(id))
		shown(window, 1)
		for selector, begin := range map[string]string{".context": "context </script>", ".card .output": "bold"} {
			if got := browser.Eval[string](window, "document.querySelector('"+selector+"').textContent"); !strings.Contains(got, begin) ||
				!strings.Contains(got, "onerror=alert(1)") {
				s.Errorf("%s: %s is shown as %q", format, selector, got)
			}
		}
		if bold := browser.Eval[bool](window, "document.querySelector('.output strong') !== null"); bold != (format == "markdown") {
			s.Errorf("%s: bold is %v", format, bold)
		}
		if cells := browser.Eval[int](window, "document.querySelectorAll('.output td').length"); (cells == 6) != (format == "markdown") {
			s.Errorf("%s: the tables have %d cells", format, cells)
		}
		if n := browser.Eval[int](window,
			"document.querySelectorAll('#stage img, #stage script, #stage a, #stage b, #stage .card svg, [onerror], "+
				"[onload]').length"); n != 0 {
			s.Errorf("%s: %d elements were created from text", format, n)
		}
		if named := browser.Eval[bool](window, "/Arm [ABC]/.test(document.querySelector('#stage').textContent)"); named {
			s.Errorf("%s: the page names an arm", format)
		}
		fits(window, format, browser.Phone().Width)
		window.Accessible()
		window.Tap(nth(1))
		shown(window, 2)
	}
}
