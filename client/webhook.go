package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// VerifyWebhook returns an error unless one of the signatures in the header of a webhook's request is valid for its body,
// and its timestamp differs from now by at most tolerance. secret is that of the webhook. It ignores signatures of
// versions other than v1 of Standard Webhooks (https://www.standardwebhooks.com).
func VerifyWebhook(secret string, header http.Header, body []byte, now time.Time, tolerance time.Duration) error {
	encoded, is := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !is || err != nil || len(key) == 0 {
		return errors.New("client: this is not the secret of a webhook")
	}
	timestamp := header.Get("Webhook-Timestamp")
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("Webhook-Id") + "." + timestamp + "."))
	mac.Write(body)
	want, valid := mac.Sum(nil), false
	for signature := range strings.SplitSeq(header.Get("Webhook-Signature"), " ") {
		encoded, is := strings.CutPrefix(signature, "v1,")
		given, err := base64.StdEncoding.DecodeString(encoded)
		valid = valid || is && err == nil && hmac.Equal(given, want)
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	switch {
	case err != nil || !valid:
		return errors.New("client: the signature of the webhook is invalid")
	case now.Sub(time.Unix(seconds, 0)).Abs() > tolerance:
		return errors.New("client: the timestamp of the webhook is too old, or in the future")
	}
	return nil
}
