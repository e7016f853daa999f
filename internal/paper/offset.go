package paper

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// offsetErrors are error bars moved sideways, like the bars of a chart with an offset.
type offsetErrors struct {
	*plotter.YErrorBars

	by vg.Length
}

// Plot draws the error bars on a moved canvas.
func (o offsetErrors) Plot(c draw.Canvas, p *plot.Plot) {
	c.Min.X += o.by
	c.Max.X += o.by
	o.YErrorBars.Plot(c, p)
}
