package main

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/simulate"
)

// drawPictures draws the evidence of every check over time, for crowds that break the model in one way each.
func drawPictures(folder string) error {
	in, err := simulate.Sphere(6, 2, 2, 9)
	if err != nil {
		return err
	}
	for _, check := range checks.All() {
		curves, err := watch(in, check)
		if err != nil {
			return err
		}
		if err := draw(curves, check, filepath.Join(folder, "check-"+check.String()+".svg")); err != nil {
			return err
		}
	}
	return nil
}

// watch returns, for every check, the most evidence so far after each answer, as a power of
// ten.
func watch(in simulate.Instance, violation checks.Check) ([]plotter.XYs, error) {
	const answers, k = 5000, 4
	in, people := simulate.Violation{Check: violation}.Of(in)
	rng := rand.New(rand.NewPCG(1, 99))
	respondent := people(rng)
	study, err := checks.NewStudy(in.Catalogue)
	if err != nil {
		return nil, err
	}
	curves := make([]plotter.XYs, len(checks.All()))
	for t := range answers {
		q := choice.Question(rng.Perm(in.Catalogue.Len())[:k])
		if err := study.Tell(crowd.Answer(respondent, q, 1)); err != nil {
			return nil, err
		}
		if t%25 == 24 {
			for c, evidence := range study.Finding().Each {
				curves[c] = append(curves[c], plotter.XY{X: float64(t + 1), Y: evidence / math.Ln10})
			}
		}
	}
	return curves, nil
}

// colours of the checks.
func colours() []color.Color {
	return []color.Color{
		color.RGBA{0x1f, 0x4e, 0x79, 0xff},
		color.RGBA{0xc5, 0x5a, 0x11, 0xff},
		color.RGBA{0x3a, 0x7d, 0x44, 0xff},
		color.RGBA{0x7b, 0x3f, 0x99, 0xff},
		color.RGBA{0xb0, 0x2a, 0x37, 0xff},
		color.RGBA{0x6b, 0x6b, 0x6b, 0xff},
	}
}

func draw(curves []plotter.XYs, violation checks.Check, file string) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("answers of the crowd %q", violation)
	p.X.Label.Text, p.Y.Label.Text = "answers", "evidence, as a power of ten"
	p.Add(plotter.NewGrid())
	threshold, err := plotter.NewLine(plotter.XYs{{X: 0, Y: math.Log10(20)}, {X: 5000, Y: math.Log10(20)}})
	if err != nil {
		return err
	}
	threshold.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	p.Add(threshold)
	p.Legend.Add("20 to 1: refuted", threshold)
	for _, c := range checks.All() {
		line, err := plotter.NewLine(curves[c])
		if err != nil {
			return err
		}
		if line.Color = colours()[c]; c == violation {
			line.Width = vg.Points(2.5)
		}
		p.Add(line)
		p.Legend.Add(c.String(), line)
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Y.Max = max(p.Y.Max, 3)
	return save(p, file)
}

// save writes a plot with a white margin, so that titles and labels at the edge are not cut off.
func save(p *plot.Plot, file string) (err error) {
	const width, height, margin = 16 * vg.Centimeter, 8 * vg.Centimeter, 3 * vg.Millimeter
	canvas := vgsvg.New(width, height)
	whole := vgdraw.New(canvas)
	whole.SetColor(color.White)
	whole.Fill(whole.Path())
	p.Draw(vgdraw.Crop(whole, margin, -margin, margin, -margin))
	out, err := os.Create(file) //nolint:gosec // the caller names the folder
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = canvas.WriteTo(out)
	return err
}
