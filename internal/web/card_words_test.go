package web_test

import (
	"fmt"
	"strings"

	"bestpick/internal/browser"
	"bestpick/wire"
)

// headlines returns arms whose values are longer than the names of their columns.
func headlines() string {
	var arms strings.Builder
	arms.WriteString("headline,tone,topic,reading level\n")
	for i := range 6 {
		fmt.Fprintf(&arms, "%d habits that quietly drain your budget%s,%s,%s,%s\n", i+2, strings.Repeat(" every day", i),
			[]string{"playful", "investigative", "serious"}[i%3],
			[]string{"housing", "Kraftfahrzeughaftpflicht"}[i%2], []string{"undergraduate", "elementary"}[i%2])
	}
	return arms.String()
}

// broken is a script that returns the words of cards that are broken into two lines, without hyphenation.
const broken = `(() => {
	const found = [];
	const walker = document.createTreeWalker(document.querySelector('.cards'), NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		for (const { 0: word, index } of walker.currentNode.data.matchAll(/\S+/g)) {
			const range = document.createRange();
			range.setStart(walker.currentNode, index);
			range.setEnd(walker.currentNode, index + word.length);
			if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) found.push(word);
		}
	}
	return found;
})()`

// compounds returns arms with long words in all texts.
func compounds() string {
	return `label,description,Elektrizitätsversorgungsunternehmen
Donaudampfschifffahrtsgesellschaft,Mit Kraftfahrzeughaftpflichtversicherung im Preis,Rechtsschutzversicherungsgesellschaften
Arbeiterunfallversicherungsgesetz,Für Nahrungsmittelunverträglichkeiten und mehr,Betäubungsmittelverschreibung
Straßenentwässerungsinvestitionen,Eine Aufmerksamkeitsdefizitstörung ist kein Hindernis,kurz
`
}

// wholeWords: the cards of a small phone break no words and do not overflow. Text with a word that is wider than its
// card is smaller, but not too small to read.
func wholeWords(s *stage, b *browser.Browser) {
	id := s.open(headlines(), wire.Settings{K: 4})
	long := s.open(compounds(), wire.Settings{K: 3})
	for _, width := range []int64{320, 360} {
		w := b.Open(s.T, browser.View{Width: width, Height: 640, Touch: true})
		for _, page := range []string{s.page(id), s.page(long)} {
			w.Go(page)
			shown(w, 1)
			w.Wait("document.documentElement.classList.contains('scripted')")
			s.unbroken(w, width)
			w.Tap(nth(1))
			shown(w, 2)
			s.unbroken(w, width)
		}
		if small := browser.Eval[[]float64](w,
			"[...document.querySelectorAll('.card *')].map((each) => parseFloat(getComputedStyle(each).fontSize)).filter((size) => "+
				"size < 11)"); len(small) > 0 {
			s.Errorf("at %d pixels there are texts of %v pixels", width, small)
		}
	}
	w := b.Open(s.T, browser.Desktop())
	w.Go(s.page(id))
	shown(w, 1)
	levels := browser.Eval[[]int](w, `['tone', 'topic', 'reading level'].map((name) =>
		new Set([...document.querySelectorAll('.attributes dt')].filter((each) => each.innerText === name).map((each) => each.getBoundingClientRect().top)).size)`)
	for at, rows := range levels {
		if rows != 1 {
			s.Errorf("attribute %d has %d different heights", at, rows)
		}
	}
}

// unbroken fails if the cards break words or overflow.
func (s *stage) unbroken(w *browser.Window, width int64) {
	s.Helper()
	if words := browser.Eval[[]string](w, broken); len(words) > 0 {
		s.Errorf("at %d pixels these words are broken: %q", width, words)
	}
	if wide := browser.Eval[int64](w, "document.documentElement.scrollWidth"); wide > width {
		s.Errorf("at %d pixels the page is %d pixels wide", width, wide)
	}
	if over := browser.Eval[[]string](w,
		"[...document.querySelectorAll('.card, .card *')].filter((each) => each.checkVisibility() && "+
			"each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0).map((each) => each.innerText)"); len(over) > 0 {
		s.Errorf("at %d pixels these texts overflow: %q", width, over)
	}
}

// pictures: on a phone a picture is as wide as its card, and its button enlarges it without an answer. A picture
// that cannot be loaded leaves no gap.
func pictures(s *stage, b *browser.Browser) {
	id := s.open(drawn(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	if wide := browser.Eval[float64](w, "document.querySelector('.picture').offsetWidth"); wide < 280 {
		s.Errorf("the picture is %v pixels wide", wide)
	}
	w.Tap(".enlarge")
	w.Wait("document.querySelector('#enlarged').open && document.querySelector('#enlarged img').naturalWidth > 0")
	w.Accessible()
	w.Tap("#enlarged button")
	w.Wait("!document.querySelector('#enlarged').open")
	s.kinds(id)
	w.Expect("blocked")
	browser.Eval[bool](w, "document.querySelector('.picture img').src = 'data:image/png;base64,AAAA', true")
	w.Wait("document.querySelectorAll('.picture img').length === 2 && document.querySelector('.picture').offsetHeight === 0")
	w.Tap(nth(1))
	w.Wait("document.querySelector('.card[data-picked]')")
	shown(w, 2)
}
