package client_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bestpick/client"
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
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", timestamp)
	h.Set("Webhook-Signature", signature)
	return h
}

// TestVerifyWebhook checks the published example, and that every deviation from it is rejected.
func TestVerifyWebhook(t *testing.T) {
	at := time.Unix(1614265330, 0)
	for _, signature := range []string{exampleSignature, "v1,AAAA v2,x " + exampleSignature} {
		if err := client.VerifyWebhook(exampleSecret, headers(exampleID, exampleTime, signature), []byte(exampleBody), at.Add(time.Minute), time.Minute); err != nil {
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
		"no secret":    {secret: "whsec_", header: headers(exampleID, exampleTime, exampleSignature)},
		"no base64":    {secret: "whsec_not base64", header: headers(exampleID, exampleTime, exampleSignature)}, //nolint:gosec // no secret
		"shortened":    {header: headers(exampleID, exampleTime, exampleSignature[:len(exampleSignature)-4])},
	} {
		if bad.secret == "" {
			bad.secret = exampleSecret
		}
		if bad.body == "" {
			bad.body = exampleBody
		}
		if client.VerifyWebhook(bad.secret, bad.header, []byte(bad.body), at.Add(bad.after), time.Minute) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// FuzzVerifyWebhook checks that nothing but the signature of the body is accepted.
func FuzzVerifyWebhook(f *testing.F) {
	f.Add(exampleSignature)
	f.Add("v1,")
	f.Add("v1,AAAA v1, ,v2")
	f.Fuzz(func(t *testing.T, signature string) {
		err := client.VerifyWebhook(exampleSecret, headers(exampleID, exampleTime, signature), []byte(exampleBody), time.Unix(1614265330, 0), time.Minute)
		if err == nil && !strings.Contains(strings.NewReplacer("\r", "", "\n", "").Replace(signature), exampleSignature[:len(exampleSignature)-2]) {
			t.Errorf("%q is accepted", signature)
		}
	})
}
