package webhook_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/webhook"
)

// TestSign: the signature is what openssl says.
//
//	printf '1763200000.{"a":1}' | openssl dgst -sha256 -hmac secret
func TestSign(t *testing.T) {
	now := time.Unix(1763200000, 0)
	const body = `{"a":1}`
	const want = "t=1763200000,v1=70b7ef5d5da76f48aeccd28402b94945a08a980829195dde60a8e1c905f85742"
	signature := webhook.Sign("secret", now, []byte(body))
	if signature != want {
		t.Errorf("got %s, want %s", signature, want)
	}
	for _, good := range []string{signature, signature + ",v2=x", strings.Replace(signature, ",v1", ",v1=00,v1", 1)} {
		if err := webhook.Verify("secret", good, []byte(body), now.Add(time.Minute), time.Minute); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []struct {
		secret, signature, body string
		after                   time.Duration
	}{
		{"Secret", signature, body, 0},
		{"secret", signature, body + " ", 0},
		{"secret", signature, body, time.Minute + time.Second},
		{"secret", signature, body, -time.Minute - time.Second},
		{"secret", "", body, 0},
		{"secret", "t=1763200000", body, 0},
		{"secret", "t=1763200000,v1=", body, 0},
		{"secret", signature[len("t=1763200000,"):], body, 0},
		{"secret", signature[:len(signature)-2], body, 0},
		{"secret", strings.Replace(signature, "17632", "17633", 1), body, 0},
		{"secret", signature + ",t=1763203600", body, time.Hour},
	} {
		if webhook.Verify(bad.secret, bad.signature, []byte(bad.body), now.Add(bad.after), time.Minute) == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// FuzzVerify: nothing is taken but what was signed.
func FuzzVerify(f *testing.F) {
	now := time.Unix(1763200000, 0)
	right := webhook.Sign("secret", now, []byte("body"))
	f.Add(right)
	f.Add("t=,v1=")
	f.Add("t=1763200000,v1=00,v1=0,,==")
	f.Fuzz(func(t *testing.T, signature string) {
		_, sum, _ := strings.Cut(right, "v1=")
		if err := webhook.Verify("secret", signature, []byte("body"), now, time.Minute); err == nil && !strings.Contains(strings.ToLower(signature), sum) {
			t.Errorf("%q is taken", signature)
		}
	})
}
