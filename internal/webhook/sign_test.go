package webhook_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"bestpick/internal/webhook"
)

// TestSign checks the example of the Standard Webhooks libraries.
func TestSign(t *testing.T) {
	const secret, want = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" //nolint:gosec // a published example
	if got := webhook.Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)); got != want {
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
