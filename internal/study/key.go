package study

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// Key derives a key for one purpose, such as signing. It returns the same key in all processes on
// the store. A key reveals neither other keys nor the store's secret.
func Key(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size)
	if err != nil {
		panic("study: " + err.Error()) // the secret is too short only in FIPS mode
	}
	return key
}
