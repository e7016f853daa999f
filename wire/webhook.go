package wire

import (
	"time"
)

// A NewWebhook has the URL to notify when a study is done.
type NewWebhook struct {
	URL string `json:"url" minLength:"1" maxLength:"2000" doc:"A public URL that begins with https://."`
}

// A Webhook has the URL to notify when a study is done, and the state of the delivery.
type Webhook struct {
	URL      string    `json:"url"`
	Set      time.Time `json:"set"`
	State    string    `json:"state" enum:"waiting,delivered,given-up" doc:"waiting: for the study to be done or for the next attempt. given-up: no further attempts."`
	Delivery string    `json:"delivery" doc:"The webhook-id of the delivery, the same at every attempt."`
	Attempts int       `json:"attempts"`
	Last     time.Time `json:"last,omitzero" doc:"The time of the last attempt."`
	Status   int       `json:"status,omitempty" doc:"The HTTP status of the last reply."`
	Problem  string    `json:"problem,omitempty" doc:"Why the last attempt failed."`
	Next     time.Time `json:"next,omitzero" doc:"The time of the next attempt, or the deadline of the current one."`
}

// A CreatedWebhook is a new webhook with its signing secret.
type CreatedWebhook struct {
	Webhook

	Secret string `json:"secret" doc:"Signs deliveries, as Standard Webhooks defines it: whsec_ and a key in base64. It is shown only once."`
}

// A Notice is the body of the request to a webhook when a study is done.
type Notice struct {
	Delivery string    `json:"delivery"` // the webhook-id, the same at every attempt
	Study    string    `json:"study"`
	Name     string    `json:"name"`
	State    string    `json:"state"`
	Reason   string    `json:"reason"`
	Verdict  Verdict   `json:"verdict"`
	At       time.Time `json:"at"` // when the study was done

	// Test marks a notice that an owner has sent as a test: the study need not be done, and has no verdict here.
	Test bool `json:"test,omitempty"`
}

// A PublicKey verifies the signatures of exported logs.
type PublicKey struct {
	PublicKey string `json:"public_key" minLength:"64" maxLength:"64" doc:"Ed25519, in hexadecimal digits."`
}
