package picture_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/picture"
	"bestpick/internal/testsupport"
)

// drawn returns a picture with a red half and another half.
func drawn(width, height int, other color.Color) image.Image {
	m := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.NRGBA{R: 255, A: 255}, other})
	for y := range height {
		for x := width / 2; x < width; x++ {
			m.SetColorIndex(x, y, 1)
		}
	}
	return m
}

func encode(t testing.TB, m image.Image, how string) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch how {
	case "jpeg":
		err = jpeg.Encode(&b, m, nil)
	case "png":
		err = png.Encode(&b, m)
	case "gif":
		err = gif.Encode(&b, m, nil)
	}
	testsupport.NoError(t, err)
	return b.String()
}

// webp is a lossless picture of one pixel, as Google's documentation has it.
const webp = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// TestPictures: every format is read, resized if it is large, and keeps its colours and its transparency.
func TestPictures(t *testing.T) {
	blue, transparent := color.NRGBA{B: 255, A: 255}, color.NRGBA{}
	for _, c := range []struct {
		name, content, kind string
		width, height       int
	}{
		{"a JPEG", encode(t, drawn(1600, 400, blue), "jpeg"), "image/jpeg", 800, 200},
		{"a PNG", encode(t, drawn(40, 30, blue), "png"), "image/jpeg", 40, 30},
		{"a transparent PNG", encode(t, drawn(300, 1200, transparent), "png"), "image/png", 200, 800},
		{"a GIF", encode(t, drawn(10, 10, blue), "gif"), "image/jpeg", 10, 10},
		{"a narrow PNG", encode(t, drawn(2, 4000, blue), "png"), "image/jpeg", 1, 800},
		{"a WebP", webp, "image/png", 1, 1},
	} {
		p, err := picture.Read(strings.NewReader(c.content))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m, _, err := image.Decode(bytes.NewReader(p.Bytes))
		if err != nil || m.Bounds().Dx() != c.width || m.Bounds().Dy() != c.height || p.Type != c.kind {
			t.Errorf("%s: %v, %s, %v", c.name, m.Bounds(), p.Type, err)
			continue
		}
		if c.width > 2 {
			if r, _, b, _ := m.At(0, 0).RGBA(); r < 0xf000 || b > 0x1000 {
				t.Errorf("%s: the left half is not red", c.name)
			}
			if _, _, b, a := m.At(c.width-1, 0).RGBA(); b < 0xf000 && a > 0 {
				t.Errorf("%s: the right half is red", c.name)
			}
		}
		again, err := picture.Read(strings.NewReader(c.content))
		if err != nil || again.Hash != p.Hash || len(p.Hash) != 32 {
			t.Errorf("%s: %s and %s, %v", c.name, p.Hash, again.Hash, err)
		}
		if hash, stored := picture.Hash(p.Name()); !stored || hash != p.Hash {
			t.Errorf("%s is called %s", c.name, p.Name())
		}
	}
}

// TestNothingElseSurvives: comments, metadata and whatever follows a picture are gone.
func TestNothingElseSurvives(t *testing.T) {
	const script = "<script>alert(1)</script>"
	jpeg := encode(t, drawn(20, 20, color.Black), "jpeg")
	comment := "\xff\xfe\x00" + string(rune(len(script)+2)) + script
	for _, content := range []string{
		jpeg[:2] + comment + jpeg[2:], jpeg + script,
		encode(t, drawn(20, 20, color.Black), "png") + script,
	} {
		p, err := picture.Read(strings.NewReader(content))
		if err != nil || bytes.Contains(p.Bytes, []byte("script")) {
			t.Errorf("%v: %q", err, p.Bytes)
		}
	}
}

// claimed returns a PNG whose header claims a size.
func claimed(t testing.TB, width, height uint32) string {
	t.Helper()
	content := []byte(encode(t, drawn(2, 2, color.Black), "png"))
	const header, length = 12, 17 // where the type and the data of the first chunk are
	binary.BigEndian.PutUint32(content[header+4:], width)
	binary.BigEndian.PutUint32(content[header+8:], height)
	binary.BigEndian.PutUint32(content[header+length:], crc32.ChecksumIEEE(content[header:header+length]))
	return string(content)
}

// TestHostilePictures: files that are no pictures, lie about their size or are cut off take little memory.
func TestHostilePictures(t *testing.T) {
	const none = "the file is not a JPEG, PNG, GIF or WebP picture"
	whole := encode(t, drawn(500, 500, color.Black), "jpeg")
	for name, c := range map[string]struct{ content, want string }{
		"SVG":        {`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, none},
		"HTML":       {"<html>", none},
		"nothing":    {"", none},
		"wide":       {claimed(t, 1<<20, 1<<20), "the picture is too large: 1048576 × 1048576 pixels"},
		"large":      {claimed(t, 6000, 5000), "the picture is too large: 6000 × 5000 pixels"},
		"a liar":     {claimed(t, 100, 100), "the PNG picture is damaged"},
		"cut off":    {whole[:len(whole)/2], "the JPEG picture is damaged"},
		"many bytes": {strings.Repeat("x", picture.MaxBytes+1), "the picture is larger than 20 MB"},
	} {
		var err error
		peak := cataloguetest.PeakMemory(func() { _, err = picture.Read(strings.NewReader(c.content)) })
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		if peak > 5*picture.MaxBytes { // a buffer grows by a quarter at a time: the old one, the new one, and the garbage of both
			t.Errorf("%s takes %d MB", name, peak>>20)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, how := range []string{"jpeg", "png", "gif"} {
		f.Add([]byte(encode(f, drawn(9, 7, color.Transparent), how)))
	}
	f.Add([]byte(webp))
	f.Add([]byte(claimed(f, 1<<31-1, 1)))
	f.Fuzz(func(t *testing.T, content []byte) {
		p, err := picture.Read(bytes.NewReader(content))
		if err != nil {
			return
		}
		size, format, err := image.DecodeConfig(bytes.NewReader(p.Bytes))
		if err != nil || size.Width > 800 || size.Height > 800 || "image/"+format != p.Type {
			t.Errorf("%v, %s as %s, %v", size, format, p.Type, err)
		}
	})
}
