package web

// In returns a plot with the messages of a page.
func (p plot) In(v studyView) any {
	return struct {
		plot

		View studyView
	}{p, v}
}

// In returns rows with the messages of a page.
func (r rows) In(v studyView) any {
	return struct {
		rows

		View studyView
	}{r, v}
}
