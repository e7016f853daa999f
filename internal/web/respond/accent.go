package respond

import (
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
)

// A colour has the shares of red, green and blue.
type colour [3]float64

// parseColour reads six hexadecimal digits.
func parseColour(digits string) (c colour, ok bool) {
	bytes, err := hex.DecodeString(digits)
	if err != nil || len(bytes) != len(c) {
		return c, false
	}
	for i, b := range bytes {
		c[i] = float64(b) / math.MaxUint8
	}
	return c, true
}

func (c colour) String() string {
	part := func(i int) uint8 { return uint8(math.Round(c[i] * math.MaxUint8)) }
	return fmt.Sprintf("#%02x%02x%02x", part(0), part(1), part(2))
}

// mix returns a colour with a share of another.
func (c colour) mix(other colour, share float64) colour {
	for i := range c {
		c[i] += share * (other[i] - c[i])
	}
	return c
}

// luminance returns the relative luminance, as WCAG 2.2 defines it.
func (c colour) luminance() float64 {
	linear := func(x float64) float64 {
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast returns the contrast ratio of two colours, as WCAG 2.2 defines it.
func contrast(a, b colour) float64 {
	high, low := a.luminance(), b.luminance()
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}

// readable mixes a colour with another until its contrast to a background is at least 4.6, a little more than WCAG
// 2.2 asks of text.
func (c colour) readable(background, towards colour) colour {
	const least, steps = 4.6, 50
	for i := range steps {
		if shade := c.mix(towards, float64(i)/steps); contrast(shade, background) >= least {
			return shade
		}
	}
	return towards
}

// What colours are mixed with, and the backgrounds of the pages: the sunken surfaces of the stylesheet.
//
//nolint:gochecknoglobals // constants
var (
	black, white = colour{}, colour{1, 1, 1}
	light, dark  = colour{0.933, 0.933, 0.922}, colour{0.14, 0.157, 0.184}
)

// accentStyle returns a stylesheet that sets the accent colour, in shades that are readable in light and dark mode.
func accentStyle(c colour) string {
	set := func(accent, strong, soft, fill, on colour) string {
		return fmt.Sprintf(":root{--accent:%s;--accent-strong:%s;--accent-soft:%s;--accent-fill:%s;--on-accent:%s}",
			accent, strong, soft, fill, on)
	}
	day, night := c.readable(light, black), c.readable(dark, white)
	const stronger, faint = 0.25, 0.88
	fill, on := day, white
	if bright := c.readable(black, white); day != c && bright == c { // a pale colour, below dark text
		fill, on = c, black
	}
	return set(day, day.mix(black, stronger), day.mix(white, faint), fill, on) +
		"@media(prefers-color-scheme:dark){" +
		set(night, night.mix(white, stronger), dark.mix(night, 1-faint), night, colour{0.055, 0.06, 0.08}) + "}"
}

// serveAccent serves the stylesheet of an accent colour. More contrast, if the browser asks for it, takes precedence.
func serveAccent(w http.ResponseWriter, r *http.Request) {
	c, ok := parseColour(r.PathValue("colour"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = fmt.Fprint(w, accentStyle(c)) // the client is gone
}
