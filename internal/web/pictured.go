package web

// In is a plot in the words of a page.
func (p plot) In(v studyView) any {
	return struct {
		plot

		View studyView
	}{p, v}
}

// In is rows in the words of a page.
func (r rows) In(v studyView) any {
	return struct {
		rows

		View studyView
	}{r, v}
}
