package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const faulty = `<!doctype html><title>Faults</title><link rel="icon" href="data:,">
<img src="https://elsewhere.example/x.png">
<script>console.error('said'); console.log('whispered'); setTimeout(() => { throw new Error('thrown'); });</script>`

// TestFaultsAreNoticed: errors in the console, exceptions and requests that leave the machine, unless they are
// expected; and what axe-core finds.
func TestFaultsAreNoticed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(faulty))
	}))
	t.Cleanup(server.Close)
	w := Start(t).Open(t, Phone())
	w.Expect("ERR_NAME_NOT_RESOLVED")
	w.Go(server.URL)
	var faults []string
	for range 200 {
		w.mutex.Lock()
		faults = slices.Clone(w.faults)
		w.mutex.Unlock()
		if len(faults) >= 3 {
			break
		}
		time.Sleep(step)
	}
	slices.Sort(faults)
	for i, part := range []string{"https://elsewhere.example/x.png", "said", "thrown"} {
		if i >= len(faults) || !strings.Contains(faults[i], part) {
			t.Errorf("%s is not noticed: %q", part, faults)
		}
	}
	if len(faults) != 3 {
		t.Errorf("%q", faults)
	}
	if !slices.ContainsFunc(w.findings("{resultTypes: ['violations']}"), func(f finding) bool { return f.ID == "image-alt" }) {
		t.Error("a picture without a text is not found")
	}
	w.mutex.Lock()
	w.faults = nil // they were meant
	w.mutex.Unlock()
}

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
