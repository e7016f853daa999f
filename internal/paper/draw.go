package paper

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of the pictures.
const (
	width  = 12 * vg.Centimeter
	height = 8 * vg.Centimeter
	margin = 10 * vg.Millimeter / 3
	dpi    = 220 // of PNG
)

// Draw returns the exhibit as a picture: "svg" or "png".
func (e Exhibit) Draw(r Results, format string) ([]byte, error) {
	p, err := e.draw(r)
	if err != nil {
		return nil, err
	}
	var picture bytes.Buffer
	switch format {
	case "svg":
		canvas := vgsvg.New(width, height)
		drawInside(p, draw.New(canvas))
		_, err = canvas.WriteTo(&picture)
	case "png":
		canvas := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
		drawInside(p, draw.New(canvas))
		_, err = canvas.WriteTo(&picture)
	default:
		err = fmt.Errorf("paper: no picture is drawn as %q", format)
	}
	return picture.Bytes(), err
}

// drawInside draws a plot with a white margin. Without it, markers, legends and the last label of an
// axis, which reach beyond the plot, would be cut off.
func drawInside(p *plot.Plot, c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Path())
	p.Draw(draw.Crop(c, margin, -margin, margin, -margin))
}

// newPlot returns an empty plot with labelled axes and a faint grid.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Legend.Padding = vg.Points(3)
	p.X.Padding, p.Y.Padding = vg.Points(6), vg.Points(6)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{220}, color.Gray{220}
	p.Add(grid)
	return p
}

// A style tells curves apart without colour: by dashes, by the shape of the points and
// by whether these are filled.
type style struct {
	color  color.Color
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

func styleOf(strategy string) style {
	switch strategy {
	case random:
		return style{color.Gray{110}, []vg.Length{vg.Points(2), vg.Points(2)}, draw.TriangleGlyph{}}
	case static:
		return style{color.RGBA{R: 20, G: 70, B: 140, A: 255}, nil, draw.CircleGlyph{}}
	case adaptive:
		return style{color.RGBA{R: 190, G: 60, B: 20, A: 255}, []vg.Length{vg.Points(7), vg.Points(3)}, draw.BoxGlyph{}}
	case glgapeKW:
		return style{color.Gray{110}, []vg.Length{vg.Points(4), vg.Points(2), vg.Points(1), vg.Points(2)}, draw.PlusGlyph{}}
	default:
		return style{color.Black, []vg.Length{vg.Points(1), vg.Points(2)}, draw.CrossGlyph{}}
	}
}

// A point of a curve with its standard error.
type point struct{ x, y, se float64 }

// points are the points of a curve, for plotters.
type points []point

func (p points) Len() int                         { return len(p) }
func (p points) XY(i int) (x, y float64)          { return p[i].x, p[i].y }
func (p points) YError(i int) (low, high float64) { return p[i].se, p[i].se }
func (p points) Value(i int) float64              { return p[i].y }
func (p points) shifted(by float64) (moved points) {
	for _, at := range p {
		moved = append(moved, point{at.x + by, at.y, at.se})
	}
	return moved
}

// addCurve draws a strategy's points, joined, with bars of one standard error.
func addCurve(p *plot.Plot, strategy string, at points) error {
	line, marks, err := plotter.NewLinePoints(at)
	if err != nil {
		return err
	}
	s := styleOf(strategy)
	line.Color, line.Dashes, line.Width = s.color, s.dashes, vg.Points(1.2)
	marks.Color, marks.Shape, marks.Radius = s.color, s.glyph, vg.Points(2.8)
	p.Add(line, marks)
	p.Legend.Add(nameOf(strategy), line, marks)
	return addErrors(p, at, s.color)
}

// addErrors draws the standard errors, if any.
func addErrors(p *plot.Plot, at points, c color.Color) error {
	if !slices.ContainsFunc(at, func(p point) bool { return p.se > 0 }) {
		return nil
	}
	bars, err := plotter.NewYErrorBars(at)
	if err != nil {
		return err
	}
	bars.Color, bars.Width, bars.CapWidth = c, vg.Points(0.9), vg.Points(5)
	p.Add(bars)
	return nil
}

// wholeTicks marks whole numbers.
func wholeTicks(numbers []int) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, n := range numbers {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	return ticks
}

// logTicks marks 1, 2 and 5 times the powers of ten.
func logTicks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for power := math.Floor(math.Log10(low)); power <= math.Ceil(math.Log10(high)); power++ {
		for _, digit := range []float64{1, 2, 5} {
			if x := digit * math.Pow(10, power); x >= low*(1-1e-9) && x <= high*(1+1e-9) {
				ticks = append(ticks, plot.Tick{Value: x, Label: thousands(x)})
			}
		}
	}
	return ticks
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
