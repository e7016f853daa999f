package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/internal/testsupport"
	"bestpick/wire"
)

const (
	number  = "document.querySelector('#stage form.question')?.dataset.number"
	settled = "!document.querySelector('#stage').hasAttribute('aria-busy') && " +
		"document.documentElement.classList.contains('scripted')"
	ahead = "performance.getEntriesByType('resource').some((e) => e.name.endsWith('/question') && e.responseEnd > 0)"
)

// shown waits for the question with a number, and until a tap on it is not taken for a double tap.
func shown(w *browser.Window, want int) {
	w.Helper()
	w.Wait(fmt.Sprintf("%s === '%d' && %s", number, want, settled))
	time.Sleep(260 * time.Millisecond)
}

// arm returns the ID of the arm on a card.
func arm(w *browser.Window, at int) string {
	w.Helper()
	return browser.Eval[string](w, fmt.Sprintf("document.querySelectorAll('#stage .card')[%d].dataset.arm", at-1))
}

// nth returns the selector of the button of a card.
func nth(at int) string { return fmt.Sprintf("#stage .card:nth-child(%d) .pick", at) }

// picked returns the arms of an answer, best first.
func (s *stage) picked(id string, o study.Outcome) (arms []string) {
	s.Helper()
	catalogue := testsupport.Value(s.studies.Live.Catalogue(s.Context(), id)).OrFail(s)
	for _, slot := range o.Picks {
		arms = append(arms, catalogue.Arms.ID(o.Shown[slot]))
	}
	return arms
}

// TestBrowser: people answer in a real browser. All subtests share one browser.
func TestBrowser(t *testing.T) { //nolint:tparallel // the first subtest measures time
	b := browser.Start(t)
	t.Run("quickly", func(t *testing.T) { quickly(begin(t), b) }) // while no other subtest runs
	for name, test := range map[string]func(*stage, *browser.Browser){
		"tap": tap, "keyboard": keyboard, "ranking": ranking, "waiting": waiting, "slowly": slowly,
		"offline": offline, "reload": reload, "lost reply": lostReply, "enough elsewhere": enoughElsewhere,
		"plain": plain, "plain ranking": plainRanking, "plain cards": plainCards,
		"hostile": hostileTexts, "hostile contexts": hostileContexts, "whole words": wholeWords, "pictures": pictures,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(begin(t), b)
		})
	}
	for _, look := range allLooks() {
		t.Run(look.name, func(t *testing.T) {
			t.Parallel()
			look.at(begin(t), b)
		})
	}
	t.Run("frame", func(t *testing.T) {
		t.Parallel()
		framed(t, b, httptest.NewServer, "document.cookie")
	})
	t.Run("frame by TLS", func(t *testing.T) {
		t.Parallel()
		framed(t, b, httptest.NewTLSServer, "localStorage.clear()")
	})
	t.Run("plain frame", func(t *testing.T) {
		t.Parallel()
		plainFrame(t, b)
	})
}

// tap: a respondent answers all questions on a phone, skips one and undoes that, skips it again, and undoes an answer.
func tap(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 4, Grace: 60})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	w.WaitText(".progress-text", "Question 1 of 4")
	first := arm(w, 2)
	w.Tap(nth(2))
	shown(w, 2)
	w.WaitText(".returns", "You will see some options again.")
	w.Tap("#skip")
	shown(w, 3)
	w.Tap("#undo button")
	shown(w, 2)
	w.Tap("#skip")
	shown(w, 3)
	w.Tap(nth(1))
	shown(w, 4)
	w.Tap("#undo button")
	shown(w, 3)
	w.Tap(nth(3))
	shown(w, 4)
	w.Tap(nth(1))
	w.WaitText("h1", "Thank you!")
	outcomes := s.kinds(id, study.Answered, study.Skipped, study.Answered, study.Answered)
	s.same(outcomes)
	if got := s.picked(id, outcomes[0]); !slices.Equal(got, []string{first}) {
		s.Errorf("%v was picked, not %s", got, first)
	}
	if !slices.Equal(outcomes[2].Picks, []int{2}) {
		s.Errorf("after it was taken back, slot %v was picked", outcomes[2].Picks)
	}
	w.Reload()
	w.WaitText("h1", "Thank you!")
}

// keyboard: a respondent answers with the keyboard only, by number keys or Tab.
func keyboard(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Desktop())
	w.Go(s.page(id))
	shown(w, 1)
	third := arm(w, 3)
	w.Keys("3")
	shown(w, 2)
	second := arm(w, 2)
	w.Keys("\t\t\r") // from the heading, which has the focus, to the second card
	shown(w, 3)
	w.Keys("9")            // no card has this number
	w.Keys("\t\t\t\t\t\r") // past the cards and the undo button
	shown(w, 4)
	w.Keys("1") // from now on the skip cannot be undone, so it is sent
	shown(w, 5)
	outcomes := s.kinds(id, study.Answered, study.Answered, study.Skipped, study.Answered)
	if got := append(s.picked(id, outcomes[0]), s.picked(id, outcomes[1])...); !slices.Equal(got, []string{third, second}) {
		s.Errorf("%v were picked, not %s and %s", got, third, second)
	}
}

// ranking: a respondent ranks several options, undoes a rank, and undoes the answer.
func ranking(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 4, Picks: 3, Grace: 60})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	rank := func(at int, want string) {
		w.Helper()
		w.WaitText(fmt.Sprintf("#stage .card:nth-child(%d) .rank", at), want)
	}
	w.Tap(nth(4))
	rank(4, "1")
	w.Tap(nth(1))
	rank(1, "2")
	w.Tap(nth(4))
	rank(4, "")
	rank(1, "1")
	w.Tap(nth(3))
	rank(3, "2")
	want := []string{arm(w, 1), arm(w, 3), arm(w, 4)}
	w.Tap(nth(2))
	shown(w, 2)
	w.Tap("#undo button")
	shown(w, 1)
	rank(2, "")
	rank(3, "2")
	w.Tap(nth(4))
	shown(w, 2)
	outcomes := s.kinds(id, study.Answered)
	if got := s.picked(id, outcomes[0]); !slices.Equal(got, want) {
		s.Errorf("%v were picked, not %v", got, want)
	}
}

// quickly: the next question is prefetched when the answer is given, and a second tap does not answer it. The time until
// it is drawn is only logged, since machines differ.
func quickly(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	w.Wait(ahead)
	s.slow.Store(true)
	defer s.slow.Store(false)
	took := browser.Eval[float64](w, `new Promise((resolve) => {
		const tapped = performance.now();
		new MutationObserver((_, observer) => {
			observer.disconnect();
			document.querySelector('.pick').click(); // a second tap, before anyone can have seen the question
			requestAnimationFrame(() => resolve(performance.now() - tapped));
		}).observe(document.querySelector('#stage'), { childList: true });
		document.querySelector('.pick').click();
	})`)
	w.Wait(number + " === '2'")
	s.Logf("the next question was on the screen after %.0f ms", took)
	s.kinds(id, study.Answered)
}

// waiting: a page that was opened before the study, or while it is paused, continues when the study
// opens.
func waiting(s *stage, b *browser.Browser) {
	id := s.draft(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id) + "?lang=de")
	w.WaitText("h1", "Noch nicht eröffnet")
	w.Wait("document.querySelector('#stage [data-retry]')")
	testsupport.Value(s.owner.Open(s.Context(), id)).OrFail(s)
	w.Reload()
	shown(w, 1)
	w.WaitText(".progress-text", "Frage 1")
	w.Wait(ahead)
	testsupport.Value(s.owner.Pause(s.Context(), id)).OrFail(s)
	w.Tap(nth(1)) // open questions can be answered
	shown(w, 2)
	w.WaitText(".returns", "Einige Optionen sehen Sie mehrmals.")
	w.Tap(nth(1))
	w.WaitText("h1", "Eine kurze Pause")
	s.kinds(id, study.Answered, study.Answered)
}

// slowly: while the next question loads, nothing else can be picked, and the answer can be undone.
func slowly(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Grace: 60})
	w := b.Open(s.T, browser.Phone())
	s.slow.Store(true) // before the page requests the next question
	defer s.slow.Store(false)
	w.Go(s.page(id))
	shown(w, 1)
	first := arm(w, 1)
	w.Tap(nth(1))
	w.Tap(nth(2)) // too late
	s.kinds(id, study.Answered)
	w.Tap("#undo button")
	s.kinds(id)
	s.slow.Store(false)
	time.Sleep(time.Second) // until pending requests are done
	shown(w, 1)
	w.Tap(nth(1))
	shown(w, 2)
	if got := s.picked(id, s.kinds(id, study.Answered)[0])[0]; got != first {
		s.Errorf("%s was picked, not %s", got, first)
	}
}

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

// widget serves examples/widget.html, with a study in it, on another site than the pages. Its
// origin is known before the study is created.
func widget(t *testing.T) (origin string, show func(address string)) {
	t.Helper()
	page := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent) // no icon
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	text := testsupport.Value(os.ReadFile("../../examples/widget.html")).OrFail(t)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1), func(address string) {
		page = strings.Replace(string(text), "http://127.0.0.1:8080/s/STUDY", address, 1)
		if !strings.Contains(page, address) {
			t.Error("the example has no address of a study")
		}
	}
}

// framed: the page works in a frame on another site and recognises a returning respondent, by local
// storage or, over TLS, by a cookie.
func framed(t *testing.T, b *browser.Browser, serve func(http.Handler) *httptest.Server, forget string) {
	t.Helper()
	origin, show := widget(t)
	s := beginWith(t, serve, origin)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 3})
	show(s.page(id))
	w := b.Open(t, browser.Desktop())
	for visit := range 2 {
		w.Go(origin)
		frame := w.Frame(s.url)
		shown(frame, visit+1)
		browser.Eval[bool](frame, "document.querySelector('.pick').click(), true")
		shown(frame, visit+2)
		s.kinds(id, slices.Repeat([]study.Kind{study.Answered}, visit+1)...)
		browser.Eval[bool](frame, forget+", true")
	}
	s.same(s.answers(id))
}

// plainFrame: without JavaScript and cookies, the forms contain the respondent.
func plainFrame(t *testing.T, b *browser.Browser) {
	t.Helper()
	origin, show := widget(t)
	s := begin(t, origin)
	id := s.open(lamps(), wire.Settings{K: 3, Each: 3, Grace: 60})
	show(s.page(id))
	w := b.Open(t, browser.Desktop())
	w.Go(origin)
	frame := w.Frame(s.url)
	frame.NoScript()
	browser.Eval[bool](frame, "window.before = true, location.reload(), true")
	frame.Wait("!window.before")
	for asked := 1; asked < 3; asked++ {
		plainly(frame, asked)
		browser.Eval[bool](frame, "document.querySelector('.pick').click(), true")
		plainly(frame, asked+1)
	}
	browser.Eval[bool](frame, "document.querySelector('#undo button').click(), true")
	plainly(frame, 2)
	s.same(s.kinds(id, study.Answered))
}
