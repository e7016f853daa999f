package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"bestpick/client"
)

// A receiver verifies the signature before it trusts the body.
func ExampleVerifyWebhook() {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"       //nolint:gosec // the example of Standard Webhooks
	clock := func() time.Time { return time.Unix(1614265330, 0) } // usually time.Now
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || client.VerifyWebhook(secret, r.Header, body, clock(), 5*time.Minute) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println("received", string(body))
		w.WriteHeader(http.StatusNoContent)
	})

	for _, body := range []string{`{"test": 2432232314}`, `{"test": 1}`} {
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/hook", strings.NewReader(body))
		r.Header.Set("Webhook-Id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
		r.Header.Set("Webhook-Timestamp", "1614265330")
		r.Header.Set("Webhook-Signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
		w := httptest.NewRecorder()
		receiver.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// received {"test": 2432232314}
	// 204
	// 400
}
