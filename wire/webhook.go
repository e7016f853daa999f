package wire

import "time"

// A NewWebhook is where the end of a study is to be told.
type NewWebhook struct {
	URL string `json:"url" minLength:"1" maxLength:"2000" doc:"A public address that begins with https://."`
}

// A Webhook says where the end of a study is told, and how far that is.
type Webhook struct {
	URL      string    `json:"url"`
	Set      time.Time `json:"set"`
	State    string    `json:"state" enum:"waiting,delivered,given-up" doc:"waiting: for the study to be done, or for the next attempt."`
	Delivery string    `json:"delivery" doc:"The webhook-id of the delivery, the same at every attempt."`
	Attempts int       `json:"attempts"`
	Last     time.Time `json:"last,omitzero" doc:"When the last attempt was made."`
	Status   int       `json:"status,omitempty" doc:"Of HTTP, that it was replied with."`
	Problem  string    `json:"problem,omitempty" doc:"Why it was not."`
	Next     time.Time `json:"next,omitzero" doc:"When the next attempt is made, or one that is under way is over."`
}

// A CreatedWebhook is a new one.
type CreatedWebhook struct {
	Webhook

	Secret string `json:"secret" doc:"Signs deliveries, as Standard Webhooks defines it: whsec_ and a key in base64. It is shown only once."`
}

// A Notice is what is posted when a study is done.
type Notice struct {
	Delivery string    `json:"delivery"` // the webhook-id, the same at every attempt
	Study    string    `json:"study"`
	Name     string    `json:"name"`
	State    string    `json:"state"`
	Reason   string    `json:"reason"`
	Verdict  Verdict   `json:"verdict"`
	At       time.Time `json:"at"` // when it was done
}
