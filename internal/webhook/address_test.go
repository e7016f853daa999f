package webhook_test

import (
	"encoding/base64"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"bestpick/internal/webhook"
)

// TestPublic: private and special addresses are not public, in any notation.
func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"93.184.215.14": true, "2606:2800:21f:cb07::1": true, "::ffff:93.184.215.14": true, "1.1.1.1": true, "2a00:1450:4001::1": true,
		"127.0.0.1": false, "127.9.9.9": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false, "172.16.0.1": false,
		"172.31.255.255": false,
		"192.168.1.1":    false, "169.254.169.254": false, "100.100.100.200": false, "192.0.0.192": false, "168.63.129.16": false,
		"198.18.0.1": false,
		"224.0.0.1":  false, "240.0.0.1": false, "255.255.255.255": false, "172.32.0.1": true, "100.128.0.1": true,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false, "fec0::1": false,
		"ff02::1":          false,
		"::ffff:127.0.0.1": false, "::ffff:a9fe:a9fe": false, "::7f00:1": false, "64:ff9b::7f00:1": false, "64:ff9b:1::a00:1": false,
		"2002:7f00:1::": false, "2001:0:7f00:1::": false,
		"::ffff:0:127.0.0.1": false, "::ffff:0:93.184.215.14": false, "::ffff:0:a9fe:a9fe": false,
		"2001:0:4136:e378:8000:63bf:80ff:fffe": false, "64:ff9b::808:808": false,
	} {
		if got := webhook.Public(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: public is %v, want %v", text, got, want)
		}
	}
}

func TestCheckURL(t *testing.T) {
	const noMail = "e-mail needs a mail server: see bestpick serve --smtp"
	const https, no, inside = "the address must begin with https://", "the address must have the form https://example.com/hook",
		"the address is not public"
	for text, want := range map[string]struct{ otherwise, private string }{
		"https://example.com":            {},
		"https://example.com:8443/a?b=c": {},
		"https://localhost/":             {}, // names are checked when the sender connects
		"https://93.184.215.14/":         {},
		"http://example.com":             {otherwise: https},
		"http://127.0.0.1:80":            {otherwise: https},
		"https://127.0.0.1":              {otherwise: inside},
		"https://[::ffff:10.0.0.1]:80/":  {otherwise: inside},
		"https://[fe80::1%25eth0]/":      {otherwise: inside},
		"mailto:anna@example.com":        {noMail, noMail},
		"ftp://example.com":              {https, https},
		"HTTPS://example.com":            {},
		"example.com":                    {no, no},
		"":                               {no, no},
		"https:":                         {no, no},
		"https:///a":                     {no, no},
		"https:example.com":              {no, no},
		"https://a b":                    {no, no},
		"https://a\n":                    {no, no},
		"https://anna:secret@example.com": {
			"the address must not contain a user name or password",
			"the address must not contain a user name or password",
		},
		"https://example.com/#": {"the address must not contain #", "the address must not contain #"},
		"https://example.com/" + strings.Repeat("x", 2000): {
			"the address must have at most 2000 bytes, got 2020",
			"the address must have at most 2000 bytes, got 2020",
		},
	} {
		for private, want := range map[bool]string{false: want.otherwise, true: want.private} {
			got := ""
			if err := (webhook.Options{Private: private}).CheckURL(text); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%.50q, private %v: %q, want %q", text, private, got, want)
			}
		}
	}
}

// TestInside: the sender does not connect to names that resolve to private addresses, or to private
// addresses that were allowed when the hook was set.
func TestInside(t *testing.T) {
	s := begin(t)
	came := false
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { came = true }))
	defer server.Close()
	address, err := url.Parse(server.URL)
	s.must(err)
	for _, target := range []string{"https://localhost:" + address.Port(), server.URL, "http://localhost:" + address.Port()} {
		h := webhook.New("a", target, s.now)
		if s.store.SetWebhook(t.Context(), h) != nil {
			s.done("a", target)
		}
		sender := webhook.NewSender(webhook.Options{Store: s.store, Clock: s.sender(s.store).Clock, Notice: s.sender(s.store).Notice})
		if h := s.step(sender, true); came || h.State != webhook.Waiting || h.Status != 0 || h.Problem != "the address is not public" {
			t.Errorf("%s: %+v", target, h)
		}
	}
}

// TestCertificate: nothing is sent to a receiver without a trusted certificate.
func TestCertificate(t *testing.T) {
	s := begin(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request,
	) {
		t.Error("the receiver got a request")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	s.done("a", server.URL)
	sender := s.sender(s.store)
	sender.Hurry(10 * time.Second)
	if h := s.step(sender, true); h.State != webhook.Waiting || h.Problem != "its certificate is not trusted" {
		t.Errorf("%+v", h)
	}
}

// TestSign checks the example of the Standard Webhooks libraries.
func TestSign(t *testing.T) {
	const secret, want = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" //nolint:gosec // a published example
	if got := webhook.Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0),
		[]byte(`{"test": 2432232314}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSecrets checks that new secrets have the standard form.
func TestSecrets(t *testing.T) {
	made := webhook.New("study", "https://example.com", time.Now())
	encoded, is := strings.CutPrefix(made.Secret, "whsec_")
	if key, err := base64.StdEncoding.DecodeString(encoded); !is || err != nil || len(key) != 32 {
		t.Errorf("%s: %v", made.Secret, err)
	}
}
