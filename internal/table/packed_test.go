package table_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	testsupport.NoError(t, w.Close())
	return out.String()
}

// TestCheckPacked: nothing is said but that a file is too large when it is unpacked, or packed twice.
func TestCheckPacked(t *testing.T) {
	const most = 1 << 20
	full := strings.Repeat("x", most)
	for name, c := range map[string]struct{ file, says string }{
		"nothing":    {"", ""},
		"plain":      {full + full, ""},
		"packed":     {packed(t, full), ""},
		"a byte":     {packed(t, full+"x"), "a: the contents of the file are larger than 1 MB"},
		"two pieces": {packed(t, full) + packed(t, "x"), "a: the contents of the file are larger than 1 MB"},
		"twice":      {packed(t, packed(t, "x")), "a: the file is compressed twice"},
		"half":       {packed(t, full)[:100], ""},
		"a start":    {"\x1f\x8b", ""},
		"no gzip":    {"\x1f\x8bxxxxxxxxxxxxxxxxxxxxxxxx", ""},
	} {
		err := table.CheckPacked(strings.NewReader(c.file), "a", most)
		if (err == nil) != (c.says == "") || err != nil && err.Error() != c.says {
			t.Errorf("%s: got %v, want %s", name, err, c.says)
		}
	}
}
