package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// The headers of a delivery, as Standard Webhooks (https://www.standardwebhooks.com) defines them.
const (
	IDHeader        = "Webhook-Id"
	TimestampHeader = "Webhook-Timestamp"
	SignatureHeader = "Webhook-Signature"
)

// secretPrefix precedes the base64 encoding of a key.
const secretPrefix = "whsec_"

// newSecret returns a secret with a random key of 32 bytes.
func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// key returns the HMAC key of a secret, or nil if that is not one.
func key(secret string) []byte {
	encoded, is := strings.CutPrefix(secret, secretPrefix)
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil || len(decoded) == 0 {
		return nil
	}
	return decoded
}

// Sign returns the signature of a delivery: "v1," and the base64 encoding of the HMAC-SHA256 of its ID, the time in
// seconds and the body, separated by dots.
func Sign(secret, id string, at time.Time, body []byte) string {
	return "v1," + base64.StdEncoding.EncodeToString(sum(secret, id, strconv.FormatInt(at.Unix(), 10), body))
}

func sum(secret, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key(secret))
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return mac.Sum(nil)
}
