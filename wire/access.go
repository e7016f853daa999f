package wire

import "time"

// An AccessToken describes a token, without its secret.
type AccessToken struct {
	Name    string    `json:"name" doc:"The holder of the token."`
	Role    string    `json:"role" enum:"owner,viewer"`
	Created time.Time `json:"created"`
	Study   string    `json:"study,omitempty" doc:"The only study that a viewer may see. Absent for all studies."`
	Expires time.Time `json:"expires,omitzero" doc:"When an invitation expires. Absent for tokens, and once an invitation is accepted."`
}

// AccessTokens is the list of all tokens.
type AccessTokens struct {
	Tokens []AccessToken `json:"tokens" nullable:"false"`
}

// A NewToken describes a token to create.
type NewToken struct {
	Name string `json:"name" minLength:"1" maxLength:"100" doc:"The holder of the token. Names are unique."`
	Role string `json:"role" enum:"owner,viewer" doc:"Owners may do everything. Viewers may read results, but no data of respondents."`

	Study  string `json:"study,omitempty" maxLength:"100" doc:"The ID of the only study that a viewer may see. Defaults to all studies."`
	Invite bool   `json:"invite,omitempty" doc:"Create an invitation instead: a link that signs one person in, once, within 7 days. Defaults to false."`
}

// A CreatedToken is a new token with its secret, or a new invitation with its link.
type CreatedToken struct {
	AccessToken

	Secret string `json:"secret,omitempty" doc:"The token itself. It is shown only once. Absent for an invitation."`
	Link   string `json:"link,omitempty" doc:"The page on which an invitation is accepted. It is shown only once."`
}

// A Revocation names a token to revoke. The name is in the body, not in the path, because it may be
// any text.
type Revocation struct {
	Name string `json:"name" minLength:"1" maxLength:"1000"`
}

// An Entry of the audit log records one operation.
type Entry struct {
	At        time.Time `json:"at"`
	By        string    `json:"by,omitempty" doc:"The name of the token, or of the user at the command line. Absent if neither is known."`
	Token     string    `json:"token,omitempty" doc:"Identifies the token, also if another has the same name later."`
	Operation string    `json:"operation" doc:"The operation of this API, such as create-study."`
	Study     string    `json:"study,omitempty" doc:"The id of the study, which may have been deleted since."`
	Detail    string    `json:"detail,omitempty" doc:"Further details, such as the changed fields."`
}

// Audit is a page of the audit log.
type Audit struct {
	Entries []Entry `json:"entries" nullable:"false"`
	Next    string  `json:"next,omitempty" doc:"The cursor of the next page; absent on the last page."`
}

// A NewWebhook has the URL to notify when a study is done.
type NewWebhook struct {
	URL string `json:"url" minLength:"1" maxLength:"2000" doc:"A public URL that begins with https://, or mailto: and an e-mail address if the server has a mail server."`
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

	// Test marks a notice that an owner has sent as a test: the study need not be done, and the verdict is the present one.
	Test bool `json:"test,omitempty"`
}

// A PublicKey verifies the signatures of exported logs.
type PublicKey struct {
	PublicKey string `json:"public_key" minLength:"64" maxLength:"64" doc:"Ed25519, in hexadecimal digits."`
}
