package web

import (
	"fmt"
	"math"
	"strings"
)

// side is that of the square in which pictures are drawn, and which is stretched to where they are shown. Lines and
// texts are not stretched with it.
const side = 1000

// A plot is a picture with two axes.
type plot struct {
	ID, Title, Text string // what it is called, and what it shows
	Line, Area      string // paths
	Bars            []bar
	Level           *tick // a line across, with what it means
	X, Y            []tick
	End             *spot // where the line is now
	Table           numbers
}

// A tick is a place on an axis, in per cent of it.
type tick struct {
	At     float64
	Text   string
	Stamp  string // of a time
	Anchor string // how a text on the lower axis stands: start, middle or end
}

// A spot is a place in a plot, in per cent.
type spot struct{ X, Y float64 }

// A bar stands on the lower axis.
type bar struct{ X, Y, Width, Height float64 }

// numbers are the table behind a picture.
type numbers struct {
	Head []string
	Rows [][]string
}

// A scale maps numbers to places from 0 to side.
type scale struct{ low, high float64 }

// at is the place of a number; what is beyond the ends is at the end.
func (s scale) at(x float64) float64 {
	if s.high <= s.low {
		return 0
	}
	return side * min(1, max(0, (x-s.low)/(s.high-s.low)))
}

// percent is the place in per cent.
func (s scale) percent(x float64) float64 { return s.at(x) * 100 / side }

// round returns about as many round numbers on the scale.
func (s scale) round(about int) (numbers []float64) {
	raw := (s.high - s.low) / float64(about)
	if !(raw > 0) {
		return nil
	}
	power := math.Floor(math.Log10(raw))
	step := math.Pow(10, power)
	for _, factor := range []float64{1, 2, 5, 10} {
		if factor*step >= raw {
			step *= factor
			break
		}
	}
	for x := math.Ceil(s.low/step) * step; x <= s.high+step/1e6; x += step {
		numbers = append(numbers, x)
	}
	return numbers
}

// anchor is how the text of a tick stands so that it does not leave the picture.
func anchor(percent float64) string {
	switch {
	case percent < 8:
		return "start"
	case percent > 92:
		return "end"
	}
	return "middle"
}

// polyline joins places with lines.
func polyline(places []spot) string {
	var d strings.Builder
	for i, p := range places {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&d, "%s%.1f %.1f", command, p.X, p.Y)
	}
	return d.String()
}

// thinned returns at most a number of elements, including the first and the last.
func thinned[T any](all []T, most int) []T {
	if len(all) <= most {
		return all
	}
	some := make([]T, most)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(most-1)]
	}
	return some
}
