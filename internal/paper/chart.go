package paper

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Chart shows series of points between two axes, with a legend above.
type Chart struct {
	Title  string // optional
	X, Y   Axis
	Series []Series
}

// An Axis covers the numbers from Low to High, or those of all points if Low equals High. Without Ticks it has round
// numbers as ticks and extends to the next of them.
type Axis struct {
	Label     string
	Low, High float64
	Log       bool
	Ticks     []Tick

	from, to float64 // ends in the picture
}

// A Tick labels a number on an axis. Its text may have several lines on the x-axis.
type Tick struct {
	At   float64
	Text string
}

// A Series is drawn as a line, as marks or as bars.
type Series struct {
	Style

	Name string
	At   []Point
}

// A Point of a series has an error bar if SE is positive.
type Point struct{ X, Y, SE float64 }

// A Style distinguishes series, also without colours.
type Style struct {
	Colour, Fill string  // of lines, and inside marks and bars
	Line         float64 // the width of the line that joins the points, or 0
	Dashes       string  // of this line, as in SVG
	Mark         string  // the path of a mark, relative to the point
	Bar          float64 // the width of bars in units of the x-axis, or 0
}

// Shapes of marks.
const (
	circle   = "m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z"
	square   = "m-4,-4h8v8h-8z"
	triangle = "m0,-5l5,8h-10z"
	plus     = "m-5,0h10m-5,-5v10"
	cross    = "m-4,-4l8,8m0,-8l-8,8"
)

// Colours of several series, and the fill of open marks.
const (
	black = "black"
	grey  = "#6e6e6e"
	white = "white"
	open  = "none"
)

// Sizes of the picture.
const (
	width, height = 600, 400
	margin        = 14
	lineHeight    = 18
	character     = 8 // an estimate that is rather too wide
)

// SVG draws the chart.
func (c Chart) SVG() []byte {
	var xs, ys []float64
	for _, s := range c.Series {
		for _, p := range s.At {
			xs, ys = append(xs, p.X), append(ys, p.Y+p.SE)
			if low := p.Y - p.SE; low > 0 || !c.Y.Log {
				ys = append(ys, low)
			}
		}
		if s.Bar > 0 {
			ys = append(ys, 0)
		}
	}
	c.X.fit(xs)
	c.Y.fit(ys)
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`font-family="Helvetica Neue,Arial,Liberation Sans,sans-serif" font-size="14" fill="none">`+"\n"+
		`<rect width="100%%" height="100%%" fill="white"/>`+"\n", width, height)
	widest, lines := 0, 0
	for _, t := range c.Y.Ticks {
		widest = max(widest, utf8.RuneCountInString(t.Text))
	}
	for _, t := range c.X.Ticks {
		lines = max(lines, 1+strings.Count(t.Text, "\n"))
	}
	left := float64(margin + lineHeight + character*widest + 8)
	const right, inside = width - margin, 20 // inside: distance of the first and last point from the sides
	c.X.from, c.X.to = left+inside, right-inside
	c.Y.from, c.Y.to = float64(height-margin-lineHeight*(lines+min(1, len(c.X.Label)))-8), c.head(&out, left)
	c.axes(&out, left, right)
	for _, s := range c.Series {
		s.draw(&out, c.X, c.Y)
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// head writes title and legend, and returns where the plot begins.
func (c Chart) head(out *bytes.Buffer, left float64) float64 {
	x, y := left, float64(margin+lineHeight/2)
	if c.Title != "" {
		write(out, (left+width-margin)/2, y, "middle", c.Title)
		y += lineHeight + 4
	}
	for _, s := range c.Series {
		const sample, gap = 34, 16
		wide := float64(sample + 6 + character*utf8.RuneCountInString(s.Name))
		if x > left && x+wide > width-margin {
			x, y = left, y+lineHeight
		}
		mark := s.Mark
		if s.Bar > 0 {
			mark = "m-8,-6h16v12h-16z"
		}
		if s.Line > 0 {
			s.path(out, open, s.Line, s.Dashes, fmt.Sprintf("M%g,%gh%d", x, y, sample))
		}
		if mark != "" {
			s.path(out, s.Fill, 1.2, "", fmt.Sprintf("M%g,%g%s", x+sample/2, y, mark))
		}
		write(out, x+sample+6, y, "start", s.Name)
		x += wide + gap
	}
	return y + lineHeight
}

// axes draws the grid, the axes and their labels.
func (c Chart) axes(out *bytes.Buffer, left, right float64) {
	top, bottom := c.Y.to, c.Y.from
	var grid strings.Builder
	for _, t := range c.X.Ticks {
		x := c.X.at(t.At)
		fmt.Fprintf(&grid, "M%.1f,%.1fV%.1f", x, bottom, top)
		for i, line := range strings.Split(t.Text, "\n") {
			write(out, x, bottom+lineHeight*(float64(i)+0.8), "middle", line)
		}
	}
	for _, t := range c.Y.Ticks {
		y := c.Y.at(t.At)
		fmt.Fprintf(&grid, "M%.1f,%.1fH%.1f", left, y, right)
		write(out, left-6, y, "end", t.Text)
	}
	fmt.Fprintf(out, `<path d="%s" stroke="#ddd"/>`+"\n", grid.String())
	fmt.Fprintf(out, `<path d="M%.1f,%.1fV%.1fH%.1f" stroke="#555"/>`+"\n", left, top, bottom, right)
	write(out, (left+right)/2, height-margin-lineHeight/2, "middle", c.X.Label)
	fmt.Fprintf(out, `<g transform="translate(%d,%.1f) rotate(-90)">`, margin+lineHeight/2, (top+bottom)/2)
	write(out, 0, 0, "middle", c.Y.Label)
	out.WriteString("</g>\n")
}

// draw draws the points of a series.
func (s Series) draw(out *bytes.Buffer, x, y Axis) {
	var bars, line, errors, marks strings.Builder
	for i, p := range s.At {
		at, value := x.at(p.X), y.at(p.Y)
		if s.Bar > 0 {
			fmt.Fprintf(&bars, "M%.1f,%.1fV%.1fH%.1fV%.1fz", x.at(p.X-s.Bar/2), y.at(0), value, x.at(p.X+s.Bar/2), y.at(0))
		}
		if s.Line > 0 {
			fmt.Fprintf(&line, "%c%.1f,%.1f", "ML"[min(i, 1)], at, value)
		}
		if s.Mark != "" {
			fmt.Fprintf(&marks, "M%.1f,%.1f%s", at, value, s.Mark)
		}
		if p.SE > 0 {
			low, high := y.at(p.Y-p.SE), y.at(p.Y+p.SE)
			fmt.Fprintf(&errors, "M%.1f,%.1fV%.1fm-4,0h8M%.1f,%.1fh8", at, low, high, at-4, low)
		}
	}
	s.path(out, s.Fill, 1, "", bars.String())
	s.path(out, open, s.Line, s.Dashes, line.String())
	s.path(out, s.Fill, 1.2, "", marks.String())
	s.path(out, open, 1.2, "", errors.String())
}

// path draws a path in the colour of the series, unless it is empty.
func (s Series) path(out *bytes.Buffer, fill string, thick float64, dashes, d string) {
	if d != "" {
		fmt.Fprintf(out, `<path d="%s" stroke="%s" stroke-width="%g" stroke-dasharray="%s" fill="%s"/>`+"\n",
			d, s.Colour, thick, cmp.Or(dashes, "none"), fill)
	}
}

// write draws a line of text around the height y.
func write(out *bytes.Buffer, x, y float64, anchor, text string) {
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="#222">%s</text>`+"\n", x, y+5, anchor, html.EscapeString(text))
}

// fit sets ticks and ends that are missing.
func (a *Axis) fit(numbers []float64) {
	if a.Low == a.High {
		a.Low, a.High = slices.Min(numbers), slices.Max(numbers)
	}
	if a.Low == a.High {
		a.High++
	}
	if a.Ticks == nil {
		if a.Ticks = roundTicks(a.Low, a.High); a.Log {
			a.Ticks = logTicks(a.Low, a.High)
		}
		a.Low, a.High = a.Ticks[0].At, a.Ticks[len(a.Ticks)-1].At
	}
}

// at returns where a number is in the picture. Numbers below a logarithmic axis are at its lower end.
func (a *Axis) at(x float64) float64 {
	low, high := a.Low, a.High
	if a.Log {
		x, low, high = math.Log(max(x, low)), math.Log(low), math.Log(high)
	}
	return a.from + (x-low)/(high-low)*(a.to-a.from)
}

// categories is an axis with a name at every whole number from 0.
func categories(label string, names []string) Axis {
	a := Axis{Label: label, Low: -0.5, High: float64(len(names)) - 0.5}
	for i, name := range names {
		a.Ticks = append(a.Ticks, Tick{float64(i), name})
	}
	return a
}

// roundTicks marks about five multiples of 1, 2 or 5 times a power of ten, from the last at or below low to the first
// at or above high.
func roundTicks(low, high float64) (ticks []Tick) {
	raw := (high - low) / 5
	power := math.Floor(math.Log10(raw))
	step := math.Pow(10, power)
	for _, factor := range []float64{2, 5, 10} {
		if step < raw {
			step = factor * math.Pow(10, power)
		}
	}
	const near = 1e-9
	for i := math.Floor(low/step + near); ; i++ {
		text := thousands(i * step)
		if step < 1 {
			text = fmt.Sprintf("%.*f", int(-math.Floor(math.Log10(step))), i*step)
		}
		if ticks = append(ticks, Tick{i * step, text}); i >= high/step-near {
			return ticks
		}
	}
}

// logTicks marks 1, 2 and 5 times the powers of ten, from the last at or below low to the first at or above high.
func logTicks(low, high float64) (ticks []Tick) {
	const near = 1e-9
	for power := math.Floor(math.Log10(low)); ; power++ {
		for _, digit := range []float64{1, 2, 5} {
			x := digit * math.Pow(10, power)
			if x <= low*(1+near) {
				ticks = nil
			}
			if ticks = append(ticks, Tick{x, thousands(x)}); x >= high*(1-near) {
				return ticks
			}
		}
	}
}

// thousands writes a whole number with commas.
func thousands(x float64) string {
	digits := fmt.Sprintf("%.0f", math.Abs(x))
	var text strings.Builder
	if x < 0 {
		text.WriteString("−")
	}
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}
