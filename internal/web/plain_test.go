package web_test

import (
	"fmt"
	"slices"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/wire"
)

// withoutScript returns a phone whose browser runs no JavaScript.
func withoutScript() browser.View {
	view := browser.Phone()
	view.NoScript = true
	return view
}

// plainly waits for the question with a number on a page without JavaScript.
func plainly(w *browser.Window, want int) {
	w.Helper()
	w.Wait(fmt.Sprintf("document.readyState === 'complete' && !document.documentElement.classList.contains('scripted') && "+
		"%s === '%d'", number, want))
}

// plain: pages work without JavaScript, including skip and undo.
func plain(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 4, Grace: 60})
	w := b.Open(s.T, withoutScript())
	w.Go(s.page(id) + "?lang=en")
	plainly(w, 1)
	first := arm(w, 2)
	w.Tap(nth(2))
	plainly(w, 2)
	w.Tap("#undo button")
	plainly(w, 1)
	if again := arm(w, 2); again != first {
		s.Errorf("undo shows %s, want %s", again, first)
	}
	w.Tap(nth(2))
	plainly(w, 2)
	w.Reload()
	plainly(w, 2)
	w.Tap("#skip")
	plainly(w, 3)
	w.Tap(nth(1))
	plainly(w, 4)
	w.Tap(nth(1))
	w.WaitText("h1", "Thank you!")
	outcomes := s.kinds(id, study.Answered, study.Skipped, study.Answered, study.Answered)
	s.same(outcomes)
	if got := s.picked(id, outcomes[0]); !slices.Equal(got, []string{first}) {
		s.Errorf("%v was picked, not %s", got, first)
	}
}

// plainRanking: without JavaScript, each pick of a ranking is a request.
func plainRanking(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 4, Picks: 2})
	w := b.Open(s.T, withoutScript())
	w.Go(s.page(id))
	plainly(w, 1)
	rank := func(at int, want string) {
		w.Helper()
		w.WaitText(fmt.Sprintf("#stage .card:nth-child(%d) .rank", at), want)
	}
	w.Tap(nth(1))
	rank(1, "1")
	w.Tap(nth(1))
	rank(1, "")
	w.Tap(nth(4))
	rank(4, "1")
	want := []string{arm(w, 4), arm(w, 2)}
	w.Tap(nth(2))
	plainly(w, 2)
	if got := s.picked(id, s.kinds(id, study.Answered)[0]); !slices.Equal(got, want) {
		s.Errorf("%v were picked, not %v", got, want)
	}
}
