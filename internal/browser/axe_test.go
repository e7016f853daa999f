package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

// TestVendored: what others wrote is what they published.
func TestVendored(t *testing.T) {
	sums, err := os.ReadFile("testdata/axe/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, err := os.ReadFile("testdata/axe/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(text); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s was changed", name)
		}
	}
}
