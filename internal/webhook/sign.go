package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
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

// Verify returns an error unless one of the signatures in the header is valid for the body and its timestamp
// differs from now by at most tolerance. It ignores signatures of versions other than v1.
func Verify(secret string, header http.Header, body []byte, now time.Time, tolerance time.Duration) error {
	timestamp := header.Get(TimestampHeader)
	want := sum(secret, header.Get(IDHeader), timestamp, body)
	valid := false
	for signature := range strings.SplitSeq(header.Get(SignatureHeader), " ") {
		encoded, is := strings.CutPrefix(signature, "v1,")
		given, err := base64.StdEncoding.DecodeString(encoded)
		valid = valid || is && err == nil && hmac.Equal(given, want)
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	switch {
	case err != nil || !valid || key(secret) == nil:
		return errors.New("webhook: the signature is invalid")
	case now.Sub(time.Unix(seconds, 0)).Abs() > tolerance:
		return errors.New("webhook: the timestamp is too old, or in the future")
	}
	return nil
}
