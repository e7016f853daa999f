package web_test

import (
	"bestpick/internal/browser"
	"bestpick/internal/study"
	"bestpick/wire"
)

const kept = "Object.keys(localStorage).filter((key) => key.startsWith('bestpick/outbox/')).length"

// offline: answers are stored while there is no connection, and sent once when it is back.
func offline(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 10, Grace: 60})
	w := b.Open(s.T, browser.Phone())
	w.Go(s.page(id))
	shown(w, 1)
	w.Wait(ahead)
	w.Offline(true)
	w.Expect("409 (Conflict)") // of the undo, since it is unknown whether the answer arrived
	first := arm(w, 1)
	w.Tap(nth(1))
	shown(w, 2)
	w.WaitText("#notice", "No connection. Your answer is stored and sent later.")
	w.Tap("#undo button") // an unsent answer can be undone
	shown(w, 1)
	w.Tap(nth(1))
	shown(w, 2)
	w.Tap(nth(2))
	w.WaitText("h1", "No connection")
	if n := len(s.log(id)); n != 0 {
		s.Errorf("%d outcomes were recorded without a connection", n)
	}
	w.Offline(false)
	shown(w, 3)
	outcomes := s.kinds(id, study.Answered, study.Answered)
	s.same(outcomes)
	if got := s.picked(id, outcomes[0])[0]; got != first {
		s.Errorf("%s was picked, not %s", got, first)
	}
	w.Wait(kept + " === 0")
	w.Offline(true)
	w.Tap("#undo button")
	w.WaitText("#notice", "No connection. You cannot undo this now.")
	w.Offline(false)
	shown(w, 3)
	w.Tap(nth(1))
	s.kinds(id, study.Answered, study.Answered, study.Answered)
}

// reload: an unsent answer is sent when the page is opened again.
func reload(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3, Each: 2})
	w := b.Open(s.T, browser.Desktop())
	w.Go(s.page(id))
	shown(w, 1)
	w.Wait(ahead)
	w.Offline(true)
	w.Click(nth(1))
	shown(w, 2)
	w.Wait(kept + " === 1")
	w.ReloadOffline()
	w.Offline(false)
	w.Go(s.page(id))
	shown(w, 2)
	s.same(s.kinds(id, study.Answered))
	w.Click(nth(1))
	w.WaitText("h1", "Thank you!")
	s.same(s.kinds(id, study.Answered, study.Answered))
}

// lostReply: an answer whose reply was lost is sent again, and counted once.
func lostReply(s *stage, b *browser.Browser) {
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	w.Expect("net::ERR_EMPTY_RESPONSE")
	w.Go(s.page(id))
	shown(w, 1)
	s.losing.Store(1)
	w.Tap(nth(1))
	shown(w, 2)
	w.Wait(kept + " === 0")
	if n := len(s.log(id)); n != 1 || s.losing.Load() >= 1 {
		s.Errorf("%d outcomes", n)
	}
}
