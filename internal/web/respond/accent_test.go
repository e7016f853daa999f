package respond

import (
	"math/rand/v2"
	"testing"
)

// TestAccent: every accent colour is readable as text and as the background of a button, in light and dark mode.
func TestAccent(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		c := colour{random.Float64(), random.Float64(), random.Float64()}
		day, night := c.readable(light, black), c.readable(dark, white)
		for _, pair := range [][2]colour{{day, light}, {day, white}, {night, dark}, {night, black}} {
			if got := contrast(pair[0], pair[1]); !(got >= 4.5) {
				t.Errorf("%v has contrast %.2f on %v", pair[0], got, pair[1])
			}
		}
	}
	if got := contrast(black, white); !(got > 20.9 && got < 21.1) {
		t.Errorf("the contrast of black and white is %v", got)
	}
	if blue, ok := parseColour("2a56cf"); !ok || blue.readable(light, black).String() != "#2a56cf" {
		t.Error("a readable colour is changed")
	}
	for _, wrong := range []string{"", "fff", "2a56cg", "2a56cf00"} {
		if _, ok := parseColour(wrong); ok {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
