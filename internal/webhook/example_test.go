package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/webhook"
)

// A receiver verifies the signature before it trusts the body.
func ExampleVerify() {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" //nolint:gosec // a published example
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || webhook.Verify(secret, r.Header, body, time.Now(), 5*time.Minute) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Println("received", string(body))
		w.WriteHeader(http.StatusNoContent)
	})

	const body = `{"study":"ukfdzu","reason":"certified"}`
	for _, key := range []string{secret, "whsec_c29tZXRoaW5nIGVsc2U="} {
		now := time.Now()
		r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/hook", strings.NewReader(body))
		r.Header.Set(webhook.IDHeader, "ZYM3JSUQ")
		r.Header.Set(webhook.TimestampHeader, strconv.FormatInt(now.Unix(), 10))
		r.Header.Set(webhook.SignatureHeader, webhook.Sign(key, "ZYM3JSUQ", now, []byte(body)))
		w := httptest.NewRecorder()
		receiver.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// received {"study":"ukfdzu","reason":"certified"}
	// 204
	// 400
}
