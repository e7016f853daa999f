package access_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
)

// TestHash: a token has only the hash of its secret. Every other text has another hash, even if
// only the case of a letter differs. Spaces around a copied secret are ignored.
func TestHash(t *testing.T) {
	secret, token := access.New("anna", access.Owner, time.Now())
	other, another := access.New("anna", access.Owner, time.Now())
	if secret == other || token.Hash == another.Hash || token.Hash != access.Hash(secret) {
		t.Error("two tokens have the same hash, or a hash does not match its secret")
	}
	if kept := token.Name + token.Hash; strings.Contains(kept, secret) || strings.Contains(kept, strings.TrimPrefix(secret, "bestpick_")) {
		t.Error("the token contains the secret")
	}
	if access.Hash(" "+secret+"\n") != token.Hash {
		t.Error("spaces change the hash")
	}
	for i := range secret {
		changed := []byte(secret)
		changed[i] ^= ' ' // switches the case of a letter
		if access.Hash(string(changed)) == token.Hash || access.Hash(secret[:i]) == token.Hash || access.Hash(secret[:i]+secret[i+1:]) == token.Hash {
			t.Errorf("character %d does not change the hash", i)
		}
	}
}
