package access_test

import (
	"strings"
	"testing"
	"time"

	"bestpick/internal/access"
)

// TestHash: of a secret only a hash is kept, and no other text has it, not even one that differs in the case of a letter;
// but the spaces around one that was copied do no harm.
func TestHash(t *testing.T) {
	secret, token := access.New("anna", access.Owner, time.Now())
	other, another := access.New("anna", access.Owner, time.Now())
	if secret == other || token.Hash == another.Hash || token.Hash != access.Hash(secret) {
		t.Error("two tokens are the same, or one is not its own")
	}
	if kept := token.Name + token.Hash; strings.Contains(kept, secret) || strings.Contains(kept, strings.TrimPrefix(secret, "bestpick_")) {
		t.Error("the secret is kept")
	}
	if access.Hash(" "+secret+"\n") != token.Hash {
		t.Error("spaces matter")
	}
	for i := range secret {
		changed := []byte(secret)
		changed[i] ^= ' ' // the other case, of a letter
		if access.Hash(string(changed)) == token.Hash || access.Hash(secret[:i]) == token.Hash || access.Hash(secret[:i]+secret[i+1:]) == token.Hash {
			t.Errorf("character %d does not matter", i)
		}
	}
}
