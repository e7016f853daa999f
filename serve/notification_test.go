package serve

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/study/owner"
	"bestpick/internal/testsupport"
	"bestpick/internal/webhook"
)

// TestNotification: an owner who signs in with an e-mail address and creates a study on the pages gets one message when it
// ends, with its result and a link; but none if they stop it themselves.
func TestNotification(t *testing.T) {
	address, messages := testsupport.MailServer(t, "")
	public := &url.URL{Scheme: "https", Host: "studies.example.com"}
	s, err := New(t.Context(), filepath.Join(t.TempDir(), "studies.db"), Options{
		SMTP: "smtp://" + address, MailFrom: "studies@example.com", PublicURL: public, Prefix: "/picks",
	})
	testsupport.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	defer func() { cancel(); running.Wait(); testsupport.NoError(t, s.Close()) }()
	secret, token := access.New("anna@example.com", access.Owner, time.Now())
	testsupport.NoError(t, s.store.AddToken(ctx, token))
	server := httptest.NewServer(s)
	defer server.Close()
	anna := &http.Client{Jar: testsupport.Value(cookiejar.New(nil)).OrFail(t)}
	for _, sent := range []struct {
		path string
		form url.Values
	}{{"/picks/sign-in", url.Values{"token": {secret}}}, {"/picks/new/sample", nil}} {
		request := testsupport.Value(http.NewRequestWithContext(ctx, http.MethodPost, server.URL+sent.path,
			strings.NewReader(sent.form.Encode()))).OrFail(t)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		reply, err := anna.Do(request)
		testsupport.NoError(t, err)
		if _ = reply.Body.Close(); reply.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", sent.path, reply.Status)
		}
	}
	created := testsupport.Value(s.store.List(ctx, "", 1)).OrFail(t)[0]
	for _, state := range []study.State{study.Open, study.Done} {
		testsupport.Value(s.studies.Owner.SetState(ctx, created.ID, owner.Any, state)).OrFail(t)
	}
	arrives := func(state webhook.State) {
		t.Helper()
		for range 1000 {
			if h := testsupport.Value(s.store.Webhook(ctx, created.ID)).OrFail(t); h.State == state {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("the notification is not %s", state)
	}
	arrives(webhook.GivenUp)
	if len(messages) > 0 {
		t.Errorf("a message to the owner who stopped the study: %s", <-messages)
	}
	testsupport.Value(s.studies.Owner.SetState(ctx, created.ID, owner.Any, study.Open)).OrFail(t)
	testsupport.Value(s.studies.Owner.Change(ctx, created.ID, owner.Any, func(st *study.Study) error {
		st.Settings.Deadline = time.Now().Add(time.Second)
		return nil
	})).OrFail(t)
	message := testsupport.Receive(t, "the message", messages)
	for _, part := range []string{
		"To: anna@example.com", "Subject: Deadline reached: ", "https://studies.example.com/picks/studies/",
		"No answers counted yet.\n\n",
	} {
		if !strings.Contains(message, part) {
			t.Errorf("the message does not have %q: %s", part, message)
		}
	}
	arrives(webhook.Delivered)
	s.sender.Ended(ctx, created.ID)
	if len(messages) > 0 {
		t.Errorf("a second message: %s", <-messages)
	}
}
