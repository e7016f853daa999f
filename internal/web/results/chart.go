package results

import (
	"html/template"
	"math"

	"bestpick/internal/statement"
)

// A plot is a chart with two axes. All positions of charts are in percent of their drawing.
type plot struct {
	chart

	Bars   []bar
	X, Y   []tick
	Points []point // with values, for pointers and the keyboard
}

// rows is a chart with a line of text and a bar or an interval per row.
type rows struct {
	chart

	Groups []group
	Ticks  []tick // of the scale below all rows
	More   string // the number of omitted rows, as text
}

// A chart has what plots and rows have in common.
type chart struct {
	statement.Words

	ID, Title, Text string // the name in addresses, the title, and a description
	File            string // the address of the chart as a file
	Table           numbers
}

// numbers is the table of the data of a chart.
type numbers struct {
	Head []string
	Rows [][]string
}

// A tick is a position on an axis.
type tick struct {
	At      float64
	Text    string
	Stamp   string // machine-readable time
	Seconds bool   // whether the time is shown with seconds
	Anchor  string // alignment of the label on the lower axis: start, middle or end
}

// A spot is a position in a plot.
type spot struct{ X, Y float64 }

// A point shows its value when a pointer is near it, and when it has the focus.
type point struct {
	spot

	Text, Anchor string
}

// maxPoints is the maximum number of points of a plot that can have the focus.
const maxPoints = 12

// A bar stands on the lower axis.
type bar struct {
	X, Y, Width, Height float64
	Text                string // shown on hover
}

// A group of rows has an optional name.
type group struct {
	Name string
	Rows []row
}

// A row is drawn as a bar, or as an interval with a dot.
type row struct {
	Name, Value string
	About       string // a line below the name
	Picture     template.URL
	Standing    string // of an arm
	Range       string // details, shown on hover and focus
	Interval    bool
	Low, High   float64 // the ends of an interval, or the two lengths of a bar
	At          float64
	Zero        float64 // where half of the people are
	Marked      bool    // the row of the leader
}

// A scale maps numbers to positions.
type scale struct{ low, high float64 }

// at returns the position of a number, rounded so that pages stay short. Numbers beyond the ends are at the end.
func (s scale) at(x float64) float64 {
	if s.high <= s.low {
		return 0
	}
	const precision = 100 // parts of a percent
	return math.Round(100*precision*min(1, max(0, (x-s.low)/(s.high-s.low)))) / precision
}

// below returns the position of a number from the top.
func (s scale) below(x float64) float64 { return 100 - s.at(x) }

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

// tickAt returns a tick whose label stays inside the chart.
func tickAt(at float64, text string) tick {
	anchor := "middle"
	if at < 8 {
		anchor = "start"
	} else if at > 92 {
		anchor = "end"
	}
	return tick{At: at, Text: text, Anchor: anchor}
}

// pointAt returns a point whose text stays inside the chart.
func pointAt(x, y float64, text string) point { return point{spot{x, y}, text, tickAt(x, text).Anchor} }

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
