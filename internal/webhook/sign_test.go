package webhook_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"bestpick/internal/webhook"
)

// The example of the Standard Webhooks libraries.
const (
	exampleSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" //nolint:gosec // a published example
	exampleID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	exampleTime      = "1614265330"
	exampleBody      = `{"test": 2432232314}`
	exampleSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func headers(id, timestamp, signature string) http.Header {
	h := http.Header{}
	h.Set(webhook.IDHeader, id)
	h.Set(webhook.TimestampHeader, timestamp)
	h.Set(webhook.SignatureHeader, signature)
	return h
}

// TestSign checks the published example, and that Verify rejects every deviation from it.
func TestSign(t *testing.T) {
	at := time.Unix(1614265330, 0)
	if got := webhook.Sign(exampleSecret, exampleID, at, []byte(exampleBody)); got != exampleSignature {
		t.Errorf("got %s, want %s", got, exampleSignature)
	}
	for _, signature := range []string{exampleSignature, "v1,AAAA v2,x " + exampleSignature} {
		if err := webhook.Verify(exampleSecret, headers(exampleID, exampleTime, signature), []byte(exampleBody), at.Add(time.Minute), time.Minute); err != nil {
			t.Errorf("%s: %v", signature, err)
		}
	}
	for name, bad := range map[string]struct {
		secret, body string
		header       http.Header
		after        time.Duration
	}{
		"secret":       {secret: exampleSecret[:len(exampleSecret)-4], header: headers(exampleID, exampleTime, exampleSignature)},
		"body":         {body: exampleBody + " ", header: headers(exampleID, exampleTime, exampleSignature)},
		"old":          {after: time.Minute + time.Second, header: headers(exampleID, exampleTime, exampleSignature)},
		"future":       {after: -time.Minute - time.Second, header: headers(exampleID, exampleTime, exampleSignature)},
		"ID":           {header: headers("msg_other", exampleTime, exampleSignature)},
		"timestamp":    {header: headers(exampleID, "1614265331", exampleSignature)},
		"no timestamp": {header: headers(exampleID, "", exampleSignature)},
		"none":         {header: headers(exampleID, exampleTime, "")},
		"empty":        {header: headers(exampleID, exampleTime, "v1,")},
		"no version":   {header: headers(exampleID, exampleTime, exampleSignature[3:])},
		"version 2":    {header: headers(exampleID, exampleTime, strings.Replace(exampleSignature, "v1", "v2", 1))},
		"shortened":    {header: headers(exampleID, exampleTime, exampleSignature[:len(exampleSignature)-4])},
	} {
		if bad.secret == "" {
			bad.secret = exampleSecret
		}
		if bad.body == "" {
			bad.body = exampleBody
		}
		if webhook.Verify(bad.secret, bad.header, []byte(bad.body), at.Add(bad.after), time.Minute) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// TestSecrets checks that new secrets have the standard form, and that nothing verifies with a text that is no secret.
func TestSecrets(t *testing.T) {
	made := webhook.New("study", "https://example.com", time.Now())
	encoded, is := strings.CutPrefix(made.Secret, "whsec_")
	if key, err := base64.StdEncoding.DecodeString(encoded); !is || err != nil || len(key) != 32 {
		t.Errorf("%s: %v", made.Secret, err)
	}
	now := time.Now()
	for _, secret := range []string{"", "whsec_", "bestpick", "whsec_not base64"} {
		signature := webhook.Sign(secret, "id", now, []byte("body"))
		if webhook.Verify(secret, headers("id", strconv.FormatInt(now.Unix(), 10), signature), []byte("body"), now, time.Minute) == nil {
			t.Errorf("%q verifies", secret)
		}
	}
}

// FuzzVerify checks that Verify accepts nothing but the signature of the body.
func FuzzVerify(f *testing.F) {
	f.Add(exampleSignature)
	f.Add("v1,")
	f.Add("v1,AAAA v1, ,v2")
	f.Fuzz(func(t *testing.T, signature string) {
		err := webhook.Verify(exampleSecret, headers(exampleID, exampleTime, signature), []byte(exampleBody), time.Unix(1614265330, 0), time.Minute)
		if err == nil && !strings.Contains(strings.NewReplacer("\r", "", "\n", "").Replace(signature), exampleSignature[:len(exampleSignature)-2]) {
			t.Errorf("%q is accepted", signature)
		}
	})
}
