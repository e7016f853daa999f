package results

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// side is the length of the square in which charts are drawn. The square is stretched to their size
// on the page; lines and texts are not.
const side = 1000

// A plot is a chart with two axes.
type plot struct {
	ID, Title, Text string // the message of its title, and a description
	course          []spot // the positions of a line, from 0 to side
	Bars            []bar
	Level           *tick // a horizontal line with a label
	X, Y            []tick
	End             *spot   // the last point of the line
	Points          []point // with values, for pointers and the keyboard
	Table           numbers
}

// A tick is a position on an axis, in percent.
type tick struct {
	At      float64
	Text    string
	Stamp   string // machine-readable time
	Seconds bool   // whether the time is shown with seconds
	Anchor  string // alignment of the label on the lower axis: start, middle or end
}

// A spot is a position in a plot, in percent.
type spot struct{ X, Y float64 }

// A point shows its value when a pointer is near it, and when it has the focus.
type point struct {
	spot

	Text, Anchor string
}

// mostPoints is the maximum number of points of a plot that can have the focus.
const mostPoints = 12

// pointAt returns a point at a position in percent.
func pointAt(x, y float64, text string) point { return point{spot{x, y}, text, anchor(x)} }

// A bar stands on the lower axis.
type bar struct {
	X, Y, Width, Height float64
	Text                string // shown on hover
}

// numbers is the table of the data of a chart.
type numbers struct {
	Head []string
	Rows [][]string
}

// A scale maps numbers to positions from 0 to side.
type scale struct{ low, high float64 }

// at returns the position of a number. Numbers beyond the ends are at the end.
func (s scale) at(x float64) float64 {
	if s.high <= s.low {
		return 0
	}
	return side * min(1, max(0, (x-s.low)/(s.high-s.low)))
}

// percent returns the position of a number in percent.
func (s scale) percent(x float64) float64 { return s.at(x) * 100 / side }

// round returns approximately the given number of round numbers on the scale.
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

// anchor returns the alignment of a label with which it stays inside the chart.
func anchor(percent float64) string {
	switch {
	case percent < 8:
		return "start"
	case percent > 92:
		return "end"
	}
	return "middle"
}

// Line returns the path of the line; empty without one.
func (p plot) Line() string { return polyline(p.course) }

// Area returns the path of the area between the line and the lower axis; empty without a line.
func (p plot) Area() string {
	if len(p.course) == 0 {
		return ""
	}
	return polyline(p.under()) + "Z"
}

// under returns the corners of the area between the line and the lower axis.
func (p plot) under() []spot {
	first, last := p.course[0], p.course[len(p.course)-1]
	return slices.Concat(p.course, []spot{{last.X, side}, {first.X, side}})
}

// polyline returns the path through positions.
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
