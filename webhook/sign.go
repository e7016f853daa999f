package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// The headers of what is told.
const (
	SignatureHeader = "Bestpick-Signature"
	DeliveryHeader  = "Bestpick-Delivery"
)

// Sign returns the signature of a body that is sent at a time: the time in seconds, and the HMAC-SHA256 of time,
// a dot and the body, in hexadecimal digits.
//
//	t=1763200000,v1=5257a8…
func Sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(sum(secret, t, body))
}

func sum(secret, t string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify returns an error unless a signature is that of a body, made with the secret not longer ago, or
// ahead, than tolerance. Other versions beside v1 are passed over.
func Verify(secret, signature string, body []byte, now time.Time, tolerance time.Duration) error {
	errWrong := errors.New("webhook: the signature is wrong")
	t, right := "", false
	for part := range strings.SplitSeq(signature, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			if t != "" { // a second one would make an old signature new
				return errWrong
			}
			t = value
		case "v1":
			given, err := hex.DecodeString(value)
			right = right || err == nil && hmac.Equal(given, sum(secret, t, body))
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	switch {
	case err != nil || !right:
		return errWrong
	case now.Sub(time.Unix(seconds, 0)).Abs() > tolerance:
		return errors.New("webhook: the signature is not of now")
	}
	return nil
}
