package study

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// Key derives a key for one purpose, such as signing something else than tokens. All processes on the store have
// the same, and none tells anything of another or of the store's secret.
func Key(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, sha256.Size)
	if err != nil {
		panic("study: " + err.Error()) // the secret is too short only in FIPS mode
	}
	return key
}
