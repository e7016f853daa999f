package wire

// A PublicKey verifies the signatures of exported logs.
type PublicKey struct {
	PublicKey string `json:"public_key" minLength:"64" maxLength:"64" doc:"Ed25519, in hexadecimal digits."`
}
