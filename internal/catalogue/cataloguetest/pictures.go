package cataloguetest

import (
	"bytes"
	"image"
	"image/png"
	"testing"
)

// PNG returns a picture of one shade of grey.
func PNG(t *testing.T, grey uint8) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 3, 3))
	for i := range m.Pix {
		m.Pix[i] = grey
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
