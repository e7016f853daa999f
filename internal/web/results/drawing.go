package results

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"bestpick/internal/access"
	"bestpick/internal/study"
	"bestpick/internal/web/page"
)

// The names of the charts, in the page and in the addresses of files.
const (
	eliminatedChart = "eliminated"
	contendersChart = "contenders"
	paceChart       = "pace"
	utilitiesChart  = "utilities"
	shownChart      = "shown"
)

// chartFile replies with a chart as an SVG file, for owners and viewers.
func (p *Pages) chartFile(w http.ResponseWriter, r *http.Request, who access.Token) {
	v, err := p.glance(r.Context(), r, who)
	if err == nil {
		err = p.draw(r.Context(), &v, longerLook)
	}
	id, is := strings.CutSuffix(r.PathValue("chart"), ".svg")
	var drawn *drawing
	if err == nil && is {
		drawn = v.drawing(id)
	}
	if err == nil && drawn == nil {
		err = study.ErrNotFound
	}
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	text, err := p.Render(studyPage, "chart", drawn)
	if err != nil {
		p.Fail(w, r, who, err)
		return
	}
	page.Attach(w, "image/svg+xml", page.FileName(v.Study)+"-"+id+".svg")
	_, _ = w.Write(text) // the client is gone
}

// ChartFile returns the address of a chart as an SVG file. A visitor of the public results has the key in the address.
func (v View) ChartFile(id string) string {
	if v.SignedIn() {
		return v.Address("/charts/" + id + ".svg")
	}
	address := page.ResultsPath + url.PathEscape(v.Study.ID) + "/" + v.Study.Public + "/charts/" + id + ".svg"
	if v.Chosen != "" {
		address += "?lang=" + url.QueryEscape(v.Chosen)
	}
	return address
}

// drawing returns a chart as a file, or nil if the page does not show it.
func (v View) drawing(id string) *drawing {
	switch {
	case !v.Begun() || !v.Drawn():
		return nil
	case id == eliminatedChart:
		return v.EliminatedPlot().drawing(v.Study.Name)
	case id == contendersChart && v.ShowsContenders():
		return v.ContenderRows().drawing(v.Study.Name)
	case id == paceChart && v.Paced():
		return v.PacePlot().drawing(v.Study.Name)
	case id == utilitiesChart && v.Estimated():
		return v.UtilityRows().drawing(v.Study.Name)
	case id == shownChart:
		return v.ShownRows().drawing(v.Study.Name)
	}
	return nil
}

// A drawing is a chart as a file of its own, without the styles of the page. Positions are in pixels.
type drawing struct {
	Width, Height float64
	Title, About  string
	Marks         []mark
}

// A mark is a path, a text, a circle or, without any of these, a line. Class names its style in the file.
type mark struct {
	Class          string
	X1, Y1, X2, Y2 float64
	Radius         float64
	Path           string
	Text, Anchor   string
	Whole          string // the text, if Text is shortened
}

// Sizes of drawings.
const (
	chartEdge   = 16.0 // around all marks
	chartHead   = 72.0 // height of the title and the name of the study
	chartLetter = 7.0  // approximate width of a letter
)

// newDrawing returns a drawing with its title, the name of the study and a description.
func newDrawing(width float64, title, name, about string) *drawing {
	d := &drawing{Width: width, Title: xmlText(title), About: xmlText(about)}
	d.text("title", chartEdge, 32, "start", title, width-2*chartEdge)
	d.text("soft", chartEdge, 54, "start", name, width-2*chartEdge)
	return d
}

// line adds a line.
func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.Marks = append(d.Marks, mark{Class: class, X1: tenths(x1), Y1: tenths(y1), X2: tenths(x2), Y2: tenths(y2)})
}

// text adds a text, and shortens it to about a width; 0 stands for any width.
func (d *drawing) text(class string, x, y float64, anchor, text string, width float64) {
	if text == "" {
		return
	}
	m := mark{Class: class, X1: tenths(x), Y1: tenths(y), Anchor: anchor, Text: xmlText(text)}
	if runes, most := []rune(m.Text), int(width/chartLetter); width > 0 && len(runes) > most {
		m.Whole, m.Text = m.Text, string(runes[:most-1])+"…"
	}
	d.Marks = append(d.Marks, m)
}

// path adds a path through positions.
func (d *drawing) path(class string, places []spot, closed bool) {
	path := polyline(places)
	if closed {
		path += "Z"
	}
	d.Marks = append(d.Marks, mark{Class: class, Path: path})
}

// drawing returns the plot of a study as a file.
func (p plot) drawing(name string) *drawing {
	const width, left, top, wide, high = 720, 64, 104, 632, 240
	d := newDrawing(width, p.Title, name, p.Text)
	x := func(percent float64) float64 { return left + percent*wide/100 }
	y := func(percent float64) float64 { return top + percent*high/100 }
	place := func(s spot) spot { return spot{x(s.X * 100 / side), y(s.Y * 100 / side)} }
	d.text("soft", chartEdge, top-16, "start", p.Table.Head[1], 0)
	for _, t := range p.Y {
		d.line("grid", left, y(t.At), left+wide, y(t.At))
		d.text("soft", left-8, y(t.At)+4, "end", t.Text, 0)
	}
	if len(p.course) > 0 {
		var line, area []spot
		for _, s := range p.course {
			line = append(line, place(s))
		}
		for _, s := range p.under() {
			area = append(area, place(s))
		}
		d.path("area", area, true)
		d.path("line", line, false)
	}
	for _, b := range p.Bars {
		low, high := place(spot{b.X, b.Y + b.Height}), place(spot{b.X + b.Width, b.Y})
		d.path("column", []spot{low, {low.X, high.Y}, high, {high.X, low.Y}}, true)
	}
	if p.Level != nil {
		d.line("level", left, y(p.Level.At), left+wide, y(p.Level.At))
		d.text("level-text", left+6, y(p.Level.At)-6, "start", p.Level.Text, wide)
	}
	if p.End != nil {
		d.Marks = append(d.Marks, mark{Class: "tip", X1: tenths(x(p.End.X)), Y1: tenths(y(p.End.Y)), Radius: 5})
	}
	for _, t := range p.X {
		d.text("soft", x(t.At), top+high+20, t.Anchor, t.Text, 0)
	}
	d.text("soft", left+wide, top+high+44, "end", p.Table.Head[0], 0)
	d.Height = top + high + 44 + chartEdge
	return d
}

// drawing returns the rows of a study as a file.
func (r rows) drawing(name string) *drawing {
	const width, left, wide, values, step = 800, 272, 320, 608, 26
	d := newDrawing(width, r.Title, name, r.Text)
	x := func(at float64) float64 { return left + at*wide/side }
	y := chartHead
	for i, text := range r.Legend {
		at := chartEdge + 120*float64(i)
		d.line(fmt.Sprint("bar-", i), at, y+4, at+20, y+4)
		d.text("soft", at+28, y+8, "start", text, 0)
	}
	if r.Legend != nil {
		y += step
	}
	for _, g := range r.Groups {
		if g.Name != "" {
			d.text("group", chartEdge, y+16, "start", g.Name, width-2*chartEdge)
			y += step
		}
		for _, row := range g.Rows {
			class := "name"
			if row.Marked {
				class = "group"
			}
			d.text(class, chartEdge, y+16, "start", row.Name, left-2*chartEdge)
			row.draw(d, x, r.Zero, y+12)
			d.text("value", values, y+16, "start", strings.TrimSpace(row.Value+" "+row.Range), 0)
			y += step
		}
	}
	if r.Ticks != nil {
		d.line("axis", left, y+4, left+wide, y+4)
		for _, t := range r.Ticks {
			at := x(t.At * side / 100)
			d.line("axis", at, y+4, at, y+9)
			d.text("soft", at, y+24, t.Anchor, t.Text, 0)
		}
		d.text("soft", left, y+44, "start", r.Axis, 0)
		y += 52
	}
	if r.More != "" {
		d.text("soft", chartEdge, y+16, "start", r.More, width-2*chartEdge)
		y += step
	}
	d.Height = y + chartEdge
	return d
}

// draw adds the bar or the interval of a row.
func (r row) draw(d *drawing, x func(at float64) float64, zero, y float64) {
	if !r.Interval {
		d.line("bar-0", x(0), y, x(r.High), y)
		if r.Low > 0 {
			d.line("bar-1", x(0), y, x(r.Low), y)
		}
		return
	}
	const half = 10
	d.line("zero", x(zero), y-half, x(zero), y+half)
	class := "interval"
	if r.Beyond {
		class = "beyond"
	}
	d.line(class, x(r.Low), y, x(r.High), y)
	d.Marks = append(d.Marks, mark{Class: "dot", X1: tenths(x(r.At)), Y1: tenths(y), Radius: 5})
}

// tenths rounds a position, so that files stay short.
func tenths(x float64) float64 { return math.Round(10*x) / 10 }

// xmlText replaces the control characters that XML does not allow.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\ufffe' || r == '\uffff' {
			return ' '
		}
		return r
	}, text)
}
