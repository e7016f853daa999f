package bombs_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"bestpick/internal/bombs"
)

// TestFilesAreWhatTheySay: a bomb is a file that programs read, as large as it is meant to be.
func TestFilesAreWhatTheySay(t *testing.T) {
	r, err := gzip.NewReader(strings.NewReader(bombs.Gzip("id\n", "a\n", 10<<20)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || len(text) < 10<<20 || !bytes.HasPrefix(text, []byte("id\na\na\n")) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	long, err := io.ReadAll(io.NewSectionReader(bombs.Long{Start: "id\n", Fill: 'x', Size: 5000}, 0, 5000))
	if err != nil || string(long) != "id\n"+strings.Repeat("x", 4997) {
		t.Error(err)
	}
}

// TestPeak: memory is noticed that is let go again.
func TestPeak(t *testing.T) {
	var kept []byte
	peak := bombs.Peak(func() {
		for range 20 {
			kept = make([]byte, 8<<20)
		}
		kept = nil
	})
	if peak < 8<<20 || peak > 200<<20 {
		t.Errorf("%d bytes, with %d", peak, len(kept))
	}
	if peak := bombs.Peak(func() {}); peak > 1<<20 {
		t.Errorf("%d bytes for nothing", peak)
	}
}
