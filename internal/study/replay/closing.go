package replay

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// A PublicKey verifies the signatures of exported logs. Each store has one key, shared by all its
// processes.
type PublicKey ed25519.PublicKey

// String returns the key in hexadecimal digits.
func (k PublicKey) String() string { return hex.EncodeToString(k) }

// Equal reports whether two keys are the same.
func (k PublicKey) Equal(other PublicKey) bool {
	return ed25519.PublicKey(k).Equal(ed25519.PublicKey(other))
}

// ParsePublicKey parses the result of String.
func ParsePublicKey(text string) (PublicKey, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("a public key must have %d hexadecimal digits", hex.EncodedLen(ed25519.PublicKeySize))
	}
	return key, nil
}

// PublicKeyOf returns the key that verifies the logs exported from the store with a secret.
func PublicKeyOf(secret []byte) PublicKey { return publicKey(signingKey(secret)) }

// signingKey derives the key that signs exported logs from the secret of a store.
func signingKey(secret []byte) ed25519.PrivateKey {
	seed, err := hkdf.Key(sha256.New, secret, nil, "bestpick: Ed25519 key of exported logs", ed25519.SeedSize)
	if err != nil {
		panic("study: " + err.Error()) // the secret is too short only in FIPS mode
	}
	return ed25519.NewKeyFromSeed(seed)
}

func publicKey(key ed25519.PrivateKey) PublicKey {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		panic("study: an Ed25519 key has another kind of public key")
	}
	return PublicKey(public)
}

// exportVersion is the version of exported logs. It changes with their lines or with the rules of
// replay, and programs read logs of their own version only.
const exportVersion = 1

// A closing is the last line of an exported log: the number of lines before it, the hash of their
// bytes, and a signature of both.
type closing struct {
	Lines     int    `json:"lines"`
	SHA256    string `json:"sha256"`
	PublicKey string `json:"public_key"`
	Signature string `json:"signature"`
}

// newClosing signs the number and the hash of lines.
func newClosing(lines int, hash []byte, key ed25519.PrivateKey) closing {
	c := closing{Lines: lines, SHA256: hex.EncodeToString(hash), PublicKey: publicKey(key).String()}
	c.Signature = hex.EncodeToString(ed25519.Sign(key, c.message()))
	return c
}

// message returns the bytes to be signed.
func (c closing) message() []byte {
	return fmt.Appendf(nil, "bestpick log, version %d\n%d lines\nsha256 %s\n", exportVersion, c.Lines, c.SHA256)
}

// signer returns the key in the closing line, if the signature is valid.
func (c closing) signer() (PublicKey, error) {
	key, err := ParsePublicKey(c.PublicKey)
	if err != nil {
		return nil, err
	}
	signature, err := hex.DecodeString(c.Signature)
	if key.String() != c.PublicKey || hex.EncodeToString(signature) != c.Signature {
		return nil, errors.New("keys and signatures must be in lower case")
	}
	if err != nil || !ed25519.Verify(ed25519.PublicKey(key), c.message(), signature) {
		return nil, errors.New("it was not made with the key in public_key")
	}
	return key, nil
}
