package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"bestpick/client"
	"bestpick/wire"
)

// An owner creates and opens a study; a respondent, who needs no token, answers one question.
func Example() {
	server := httptest.NewServer(cannedServer())
	defer server.Close()
	ctx := context.Background()

	owner := &client.Client{URL: server.URL, Token: os.Getenv("BESTPICK_TOKEN")}
	created, err := owner.Create(ctx, client.NewStudy{
		Name:      "Lamps",
		Settings:  wire.Settings{K: 2},
		Catalogue: client.File{Name: "lamps.csv", Contents: strings.NewReader("id,price\norb,49\ndome,59\nreed,39\n")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	study := created.Study.ID
	if _, err := owner.Open(ctx, study); err != nil {
		fmt.Println(err)
		return
	}

	respondent := &client.Client{URL: server.URL}
	question, err := respondent.Ask(ctx, study, wire.Ask{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, arm := range question.Arms {
		fmt.Println("shown:", arm.ID)
	}
	if err := respondent.Answer(ctx, study, question.Token, question.Arms[0].ID); err != nil {
		fmt.Println(err)
		return
	}

	verdict, err := owner.Verdict(ctx, study)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("answers:", verdict.Answers)
	fmt.Println(verdict.Sentence)
	// Output:
	// shown: orb
	// shown: reed
	// answers: 1
	// Too early to name a leader.
}

// cannedServer replies to the requests of the example, in place of bestpick serve.
func cannedServer() http.Handler {
	const study = `{"id":"s1","name":"Lamps","state":"open","arms":3}`
	mux := http.NewServeMux()
	for pattern, body := range map[string]string{
		"POST /api/v1/studies":              `{"study":` + study + `}`,
		"POST /api/v1/studies/s1/open":      study,
		"POST /api/v1/studies/s1/questions": `{"token":"t1","arms":[{"id":"orb"},{"id":"reed"}]}`,
		"POST /api/v1/studies/s1/answers":   `{}`,
		"GET /api/v1/studies/s1/verdict":    `{"answers":1,"sentence":"Too early to name a leader."}`,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})
	}
	return mux
}

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
