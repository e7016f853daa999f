package web_test

import (
	"bestpick/internal/browser"
	"bestpick/wire"
)

// chartValues: points of charts show their values with the keyboard focus, row charts have a scale, and counts have
// whole numbers on their axes. The axis of time has two labels, even in the first minute.
func chartValues(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Grace: -1})
	s.people(id, 40)
	w := s.owned(b, id, browser.Desktop())
	w.Wait("document.querySelector('#eliminated .point') && document.querySelector('#pace .point') && " +
		"document.querySelector('#shown .row-scale text')")
	const text = "getComputedStyle(document.querySelector('#eliminated .point text')).visibility"
	if got := browser.Eval[string](w, text); got != "hidden" {
		s.Errorf("without focus the value is %s", got)
	}
	w.Wait("document.querySelector('#eliminated .point').focus(), " + text +
		" === 'visible' && /^Answers: [0-9,]+, ruled out: [0-9]+$/.test(document.activeElement.getAttribute('aria-label'))")
	w.Wait("[...document.querySelectorAll('.axis-y text, #eliminated .axis-x text, " +
		"#shown .row-scale text')].every((each) => /^[0-9,]+$/.test(each.textContent))")
	w.Wait("[...document.querySelectorAll('.rows')].length > 0 && " +
		"[...document.querySelectorAll('figure:has(.rows)')].every((each) => each.querySelector('.row-scale text'))")
	w.Wait("new Set([...document.querySelectorAll('#pace .axis-x text')].map((each) => each.textContent)).size === 2")
	w.Accessible()
}
