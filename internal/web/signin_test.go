package web_test

import (
	"io"
	"mime/quotedprintable"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
	"bestpick/internal/middleware"
	"bestpick/internal/testsupport"
	"bestpick/internal/web"
)

// TestMail: a message arrives as it was sent, and a refusal is an error.
func TestMail(t *testing.T) {
	address, received := testsupport.MailServer(t, "")
	mailer, err := access.NewMailer("smtp://user:secret@"+address, "studies@example.com")
	testsupport.NoError(t, err)
	link := "http://studies.example.com/sign-in/link/" + strings.Repeat("x", 120)
	testsupport.NoError(t, mailer.Send(t.Context(), "anna@example.com", "Größe", "Öffnen Sie\n\n"+link+"\n"))
	select {
	case message := <-received:
		head, body, _ := strings.Cut(message, "\n\n")
		text := testsupport.Value(io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))).OrFail(t)
		if !strings.Contains(head, "To: anna@example.com") || !strings.Contains(head, "Subject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=") ||
			!strings.Contains(string(text), "Öffnen Sie") || !strings.Contains(string(text), link) {
			t.Errorf("%s", message)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("no message arrived within 10 seconds")
	}
	refusing, _ := testsupport.MailServer(t, "RCPT")
	mailer, err = access.NewMailer("smtp://"+refusing, "studies@example.com")
	testsupport.NoError(t, err)
	if err := mailer.Send(t.Context(), "anna@example.com", "x", "y"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
	if err := mailer.Send(t.Context(), "anna@example.com\r\nBcc: b@example.com", "x", "y"); err == nil {
		t.Error("a header was injected")
	}
}

// mailed serves the pages of a stage with a mail server, and proxies at some addresses.
func (s *stage) mailed(trusted ...netip.Prefix) (address string, messages <-chan string) {
	s.Helper()
	smtp, messages := testsupport.MailServer(s, "")
	mailer := testsupport.Value(access.NewMailer("smtp://"+smtp, "studies@example.com")).OrFail(s)
	server := httptest.NewUnstartedServer(nil)
	public := &url.URL{Scheme: "http", Host: server.Listener.Addr().String()}
	server.Config.Handler = middleware.Chain(
		web.Handler(s.studies, web.Options{Tokens: s.store, Audit: s.store, Mail: mailer, PublicURL: public}),
		middleware.Address(trusted), middleware.User(trusted, "X-Forwarded-Email"),
	)
	server.Start()
	s.Cleanup(server.Close)
	return server.URL, messages
}

// sends posts a form and returns the status and the page.
func sends(t *testing.T, c *http.Client, address string, form url.Values) (int, string) {
	t.Helper()
	body := strings.NewReader(form.Encode())
	request := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)).OrFail(t)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return does(t, c, request)
}

// does sends a request and returns the status and the page.
func does(t *testing.T, c *http.Client, request *http.Request) (int, string) {
	t.Helper()
	reply, err := c.Do(request)
	testsupport.NoError(t, err)
	defer func() { _ = reply.Body.Close() }()
	return reply.StatusCode, string(testsupport.Value(io.ReadAll(reply.Body)).OrFail(t))
}

// linkIn returns the link of the next message.
func linkIn(t *testing.T, messages <-chan string) string {
	t.Helper()
	select {
	case message := <-messages:
		_, body, _ := strings.Cut(message, "\n\n")
		text := testsupport.Value(io.ReadAll(quotedprintable.NewReader(strings.NewReader(body)))).OrFail(t)
		return regexp.MustCompile(`http://\S+`).FindString(string(text))
	case <-time.After(20 * time.Second):
		t.Fatal("no message arrived within 20 seconds")
		return ""
	}
}

// TestSignInByMail: a link that arrives by e-mail signs in, once; unknown addresses get the same reply and no message. An
// owner invites a person by e-mail, who can then sign in by e-mail.
func TestSignInByMail(t *testing.T) {
	s := begin(t)
	_, token := access.New("Anna@example.com", access.Owner, time.Now())
	s.must(s.store.AddToken(t.Context(), token))
	address, messages := s.mailed()
	anna := &http.Client{Jar: testsupport.Value(cookiejar.New(nil)).OrFail(t)}
	_, known := sends(t, anna, address+"/sign-in/mail", url.Values{"email": {"anna@example.com"}})
	link := linkIn(t, messages)
	_, unknown := sends(t, anna, address+"/sign-in/mail", url.Values{"email": {"eve@example.com"}})
	if known != unknown || !strings.Contains(known, "a link is on its way") {
		t.Errorf("replies to known and unknown addresses differ:\n%s", known)
	}
	if status, page := sends(t, anna, address+"/sign-in/mail",
		url.Values{"email": {"anna"}}); status != http.StatusUnprocessableEntity ||
		!strings.Contains(page, "Enter an e-mail address.") {
		t.Errorf("%d %s", status, page)
	}
	ahead := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)).OrFail(t) // as mail programs do
	if status, _ := does(t, anna, ahead); status != http.StatusOK {
		t.Errorf("%d: the link has no page", status)
	}
	second, _ := s.mailed() // a second process on the same store
	if status, page := sends(t, anna, strings.Replace(link, address, second, 1), nil); status != http.StatusOK ||
		!strings.Contains(page, "Studies") {
		t.Fatalf("%d: the link does not sign in: %s", status, page)
	}
	for _, wrong := range []string{link, link + "x"} {
		if status, _ := sends(t, &http.Client{}, wrong, nil); status != http.StatusUnauthorized {
			t.Errorf("%d: a link works twice, or a forged one", status)
		}
	}
	if _, page := sends(t, anna, address+"/people",
		url.Values{"name": {"ben@example.com"}, "role": {"viewer"}}); !strings.Contains(page, "The invitation was sent by e-mail.") {
		t.Error(page)
	}
	ben := &http.Client{Jar: testsupport.Value(cookiejar.New(nil)).OrFail(t)}
	if status, page := sends(t, ben, linkIn(t, messages), nil); status != http.StatusOK || !strings.Contains(page, "Studies") {
		t.Errorf("%d: the invitation does not sign in: %s", status, page)
	}
	for range 50 {
		sends(t, &http.Client{}, address+"/sign-in/mail", url.Values{"email": {"anna@example.com"}})
	}
	sends(t, &http.Client{}, address+"/sign-in/mail", url.Values{"email": {"ben@example.com"}})
	for links := 0; ; links++ {
		select {
		case message := <-messages:
			switch {
			case strings.Contains(message, "To: eve"), links > 5:
				t.Fatalf("an unknown address got a message, or one person %d links: %s", links, message)
			case strings.Contains(message, "To: ben"):
				return
			}
		case <-time.After(20 * time.Second):
			t.Fatal("no message arrived within 20 seconds")
		}
	}
}

// TestProxy: the name that a proxy sends signs in if the proxy is trusted, and only then. It counts more than the session of
// another person.
func TestProxy(t *testing.T) {
	for _, c := range []struct {
		trusted, name    string
		alone, besideBen int // the status without and with the session of an owner
	}{
		{"127.0.0.0/8", "anna@example.com", http.StatusForbidden, http.StatusForbidden}, // for a viewer
		{"127.0.0.0/8", "eve@example.com", http.StatusSeeOther, http.StatusOK},
		{"127.0.0.0/8", "", http.StatusSeeOther, http.StatusOK},
		{"10.0.0.0/8", "anna@example.com", http.StatusSeeOther, http.StatusOK},
	} {
		s := begin(t)
		_, anna := access.New("anna@example.com", access.Viewer, time.Now())
		secret, ben := access.New("Ben", access.Owner, time.Now())
		s.must(s.store.AddToken(t.Context(), anna))
		s.must(s.store.AddToken(t.Context(), ben))
		address, _ := s.mailed(netip.MustParsePrefix(c.trusted))
		browser := &http.Client{
			Jar:           testsupport.Value(cookiejar.New(nil)).OrFail(t),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		for _, want := range []int{c.alone, c.besideBen} {
			request := testsupport.Value(http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/people", nil)).OrFail(t)
			request.Header.Set("X-Forwarded-Email", c.name)
			if status, _ := does(t, browser, request); status != want {
				t.Errorf("%+v: %d, want %d", c, status, want)
			}
			sends(t, browser, address+"/sign-in", url.Values{"token": {secret}})
		}
	}
}
