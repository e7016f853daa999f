package web

// rows are a picture with a line of text and a drawing for each of some things.
type rows struct {
	ID, Title, Text string
	Groups          []group
	Zero            float64 // where 0 is, in a drawing of side; −1 where there is none
	Legend          []string
	More            string // what is said of those that are left out
	Table           numbers
}

// A group of rows may have a name.
type group struct {
	Name string
	Rows []row
}

// A row is drawn as a bar, or as an interval with a dot.
type row struct {
	Name, Value string
	Interval    bool
	Low, High   float64 // of an interval, or of a bar its two lengths
	At          float64
	Beyond      bool // the interval goes on beyond the drawing
	Marked      bool // it is the leader
}
