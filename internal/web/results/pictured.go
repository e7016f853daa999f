package results

// In returns a plot with the messages of a page.
func (p plot) In(v View) any {
	return struct {
		plot

		View View
	}{p, v}
}

// In returns rows with the messages of a page.
func (r rows) In(v View) any {
	return struct {
		rows

		View View
	}{r, v}
}
