package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
	"bestpick/internal/paper"
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
		file := filepath.Join(folder, "check-"+check.String()+".svg")
		if err := os.WriteFile(file, chartOf(curves, check).SVG(), 0o644); err != nil { //nolint:gosec // documentation is public
			return err
		}
	}
	return nil
}

// watch returns, for every check, the most evidence so far after each answer, as a power of
// ten.
func watch(in simulate.Instance, violation checks.Check) ([][]paper.Point, error) {
	const answers, k = 5000, 4
	in, people := simulate.Violation{Check: violation}.Of(in)
	rng := rand.New(rand.NewPCG(1, 99))
	respondent := people(rng)
	study, err := checks.NewStudy(in.Catalogue)
	if err != nil {
		return nil, err
	}
	curves := make([][]paper.Point, len(checks.All()))
	for t := range answers {
		q := choice.Question(rng.Perm(in.Catalogue.Len())[:k])
		if err := study.Tell(crowd.Answer(respondent, q, 1)); err != nil {
			return nil, err
		}
		if t%25 == 24 {
			for c, evidence := range study.Finding().Each {
				curves[c] = append(curves[c], paper.Point{X: float64(t + 1), Y: evidence / math.Ln10})
			}
		}
	}
	return curves, nil
}

// chartOf draws the curves of all checks, with that of the violated one wider.
func chartOf(curves [][]paper.Point, violation checks.Check) paper.Chart {
	threshold := math.Log10(20)
	c := paper.Chart{
		Title: fmt.Sprintf("answers of the crowd %q", violation),
		X:     paper.Axis{Label: "answers"},
		Y:     paper.Axis{Label: "evidence, as a power of ten"},
		Series: []paper.Series{{
			Name: "20 to 1: refuted", At: []paper.Point{{X: 0, Y: threshold}, {X: 5000, Y: threshold}},
			Style: paper.Style{Colour: "black", Line: 1, Dashes: "5,4"},
		}},
	}
	for i, colour := range []string{"#1f4e79", "#c55a11", "#3a7d44", "#7b3f99", "#b02a37", "#6b6b6b"} {
		check := checks.All()[i]
		s := paper.Series{Name: check.String(), At: curves[check], Style: paper.Style{Colour: colour, Line: 1.2}}
		if check == violation {
			s.Line = 3
		}
		c.Series = append(c.Series, s)
	}
	return c
}
