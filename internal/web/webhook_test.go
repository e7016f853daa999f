package web_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"bestpick/client"
	"bestpick/internal/browser"
	"bestpick/wire"
)

// hooked: an owner sets a webhook, sends a test, which the receiver can verify, sees it in the log of deliveries, and
// removes the webhook.
func hooked(s *stage, b *browser.Browser) {
	secret, received := make(chan string, 1), make(chan wire.Notice, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = client.VerifyWebhook(<-secret, r.Header, body, time.Now(), time.Minute)
		}
		var notice wire.Notice
		if err == nil {
			err = json.Unmarshal(body, &notice)
		}
		if err != nil {
			s.Error(err)
		}
		received <- notice
		w.WriteHeader(http.StatusAccepted)
	}))
	s.Cleanup(receiver.Close)
	id := s.open(lamps(), wire.Settings{K: 3})
	w := b.Open(s.T, browser.Phone())
	s.signIn(w, s.secret)
	w.Go(s.results(id) + "/webhook")
	w.WaitText("h1", "Webhook")
	w.Expect("422")
	fill(w, "#url", "https://user:password@example.com")
	press(w, "#do-set")
	w.WaitText("#url-problem", "the address must not contain a user name or password")
	fill(w, "#url", receiver.URL+"/hook")
	press(w, "#do-set")
	w.WaitText("#secret-title", "Your webhook is set")
	w.Accessible()
	secret <- browser.Eval[string](w, "document.querySelector('#secret').value")
	press(w, "#do-test")
	if notice := <-received; !notice.Test || notice.Study != id || notice.Delivery == "" {
		s.Errorf("%+v", notice)
	}
	w.WaitText("#deliveries tbody td:nth-child(3)", "Received (202)")
	w.WaitText("#deliveries tbody td:nth-child(2)", "Test")
	if wide := browser.Eval[int](w, "document.documentElement.scrollWidth"); wide > 360 {
		s.Errorf("the page is %d pixels wide", wide)
	}
	w.WaitText("#hook-state", "Waits for the study to end")
	_, err := s.owner.Close(s.Context(), id)
	s.must(err)
	w.Go(s.results(id) + "/webhook")
	w.WaitText("#hook-state", "Not delivered yet. We retry for a day.")
	press(w, "#do-remove")
	w.Wait("!document.querySelector('#do-remove')")
}
