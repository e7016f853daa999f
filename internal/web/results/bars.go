package results

// rows is a chart with a line of text and a bar or an interval per row.
type rows struct {
	ID, Title, Text string
	Groups          []group
	Zero            float64 // the position of 0, from 0 to side; −1 if it is not drawn
	Ticks           []tick  // of the scale below all rows
	Axis            string  // the title of the scale
	Legend          []string
	More            string // the number of omitted rows, as text
	Table           numbers
}

// A group of rows has an optional name.
type group struct {
	Name string
	Rows []row
}

// A row is drawn as a bar, or as an interval with a dot.
type row struct {
	Name, Value string
	Range       string // the ends of an interval, as text
	Interval    bool
	Low, High   float64 // the ends of an interval, or the two lengths of a bar
	At          float64
	Beyond      bool // the interval extends beyond the chart
	Marked      bool // the row of the leader
}
