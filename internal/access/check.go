package access

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Check returns an error unless every store can keep the token: its role is one of the two, and
// its name and hash are UTF-8 without zero bytes, neither empty nor very long.
func (t Token) Check() error {
	if t.Role != Owner && t.Role != Viewer {
		return fmt.Errorf("access: the role must be owner or viewer, got %q", t.Role)
	}
	if t.Study != "" && (t.Role != Viewer || !storable(t.Study)) {
		return fmt.Errorf("access: only a viewer can be restricted to a study, got %s of %.100q", t.Role, t.Study)
	}
	for _, text := range []string{t.Name, t.Hash} {
		if !storable(text) {
			return fmt.Errorf("access: a name or hash must be valid UTF-8 without zero bytes, 1 to 1000 bytes long, got %.100q", text)
		}
	}
	return nil
}

// CheckHash returns an error unless every store can keep the hash.
func CheckHash(hash string) error {
	if !storable(hash) {
		return fmt.Errorf("access: %.100q is not a hash", hash)
	}
	return nil
}

// storable reports whether a text is UTF-8 without zero bytes, neither empty nor very long.
func storable(text string) bool {
	const longest = 1000 // bytes: indexes have bounds
	return text != "" && len(text) <= longest && utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}
