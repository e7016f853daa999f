package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"bestpick/internal/access"
	"bestpick/internal/store/sqlite"
	"bestpick/internal/testsupport"
)

// TestToken: what is done at the command line goes for servers on the database, and leaves entries without tokens.
func TestToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "studies.db")
	store := testsupport.Value(sqlite.Open(path)).OrFail(t)
	defer store.Close()
	token := func(words ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		words = append([]string{"token"}, append(words, "--database", path)...)
		if status := run(words, strings.NewReader(""), &out, &errOut); status != 0 {
			t.Fatalf("exit status %d: %s", status, errOut.String())
		}
		return strings.TrimSpace(out.String())
	}
	secret := token("add", "Zoë", "--role", "owner")
	if got, err := store.Token(t.Context(), access.Hash(secret)); err != nil || got.Name != "Zoë" || got.Role != access.Owner {
		t.Errorf("the token is one of %q (%s), %v", got.Name, got.Role, err)
	}
	token("add", "anna", "--role", "viewer")
	token("list")
	token("revoke", "anna")
	entries := testsupport.Value(store.Entries(t.Context(), math.MaxInt64, 9)).OrFail(t)
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%q %s %s", e.By, e.Operation, e.Detail))
	}
	const want = `"" revoke-token "anna"; "" create-token "anna", viewer; "" create-token "Zoë", owner`
	if strings.Join(got, "; ") != want {
		t.Errorf("the entries are %v, want %s", got, want)
	}
}
