package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A sweep is a figure of stopping times against one number: d or K.
type sweep struct {
	label      string
	values     []int
	cell       func(strategy string, value int) Cell
	reads      float64 // exponent that the paper reads off
	exponentOf string
}

// swept are the strategies of Figure 1.
func swept() []string { return []string{random, static, adaptive} }

func (s sweep) cells() (cells []Cell) {
	for _, strategy := range swept() {
		for _, value := range s.values {
			cells = append(cells, s.cell(strategy, value))
		}
	}
	return cells
}

// cellOf is a cell of the paper's instance with softmax picks.
func cellOf(strategy string, d, k int) Cell {
	c := Cell{Strategy: strategy, D: d, K: k}
	if strategy == adaptive {
		c.Alpha = alphaOfSoare
	}
	return c
}

// Figure1a is the stopping time against the dimension, with K = 3.
func Figure1a(ds []int) Exhibit {
	s := sweep{
		label: "dimension d", values: ds, reads: 2, exponentOf: "d",
		cell: func(strategy string, d int) Cell { return cellOf(strategy, d, 3) },
	}
	return Exhibit{
		Name: "figure1a", Title: "Figure 1a: questions against dimension, K = 3",
		Caption: "Mean number of questions before stopping, with bars of one standard error; softmax picks. Both axes are " +
			"logarithmic: " +
			"a power law is a straight line.",
		Cells: s.cells(), Runs: 10,
		table: func(r Results) *Table { return stoppingTable(s.cells(), r) },
		chart: s.chart,
		findings: func(r Results) []Finding {
			return append(s.exponent(r), s.order(r), s.headline(r))
		},
	}
}

// Figure1b is the stopping time against the size of questions.
func Figure1b(d int, ks []int) Exhibit {
	s := sweep{
		label: "arms in a question K", values: ks, reads: -1, exponentOf: "K",
		cell: func(strategy string, k int) Cell { return cellOf(strategy, d, k) },
	}
	return Exhibit{
		Name: "figure1b", Title: fmt.Sprintf("Figure 1b: questions against the size of questions, d = %d", d),
		Caption: "Mean number of questions before stopping, with bars of one standard error; softmax picks. Both axes are logarithmic.",
		Cells:   s.cells(), Runs: 10,
		table: func(r Results) *Table { return stoppingTable(s.cells(), r) },
		chart: s.chart,
		findings: func(r Results) []Finding {
			return append(s.exponent(r), s.order(r))
		},
	}
}

// curve returns the points of a strategy.
func (s sweep) curve(r Results, strategy string) (at []Point) {
	for _, value := range s.values {
		q := r.questions(s.cell(strategy, value))
		at = append(at, Point{float64(value), q.Mean, q.SE})
	}
	return at
}

func (s sweep) chart(r Results) Chart {
	c := Chart{X: Axis{Label: s.label, Log: true}, Y: questions()}
	for _, value := range s.values {
		c.X.Ticks = append(c.X.Ticks, Tick{float64(value), strconv.Itoa(value)})
	}
	for _, strategy := range swept() {
		c.Series = append(c.Series, curveOf(strategy, s.curve(r, strategy)))
	}
	return c
}

// exponent fits the growth of the static strategy's questions.
func (s sweep) exponent(r Results) []Finding {
	var xs, ys []float64
	for _, at := range s.curve(r, static) {
		xs, ys = append(xs, at.X), append(ys, at.Y)
	}
	if len(xs) < 3 {
		return nil
	}
	const near = 0.2
	exponent, se := powerLaw(xs, ys)
	return []Finding{{
		Paper:  fmt.Sprintf("The stopping time of BAI-Lin-MNL goes as %s to the power %g.", s.exponentOf, s.reads),
		Here:   fmt.Sprintf("A power law fitted to the means has exponent %.2f ± %.2f.", exponent, se),
		Agrees: exponent-s.reads < near && s.reads-exponent < near,
	}}
}

// order compares the adaptive strategy with the others.
func (s sweep) order(r Results) Finding {
	var not []string
	byChance, fixed, batched := s.curve(r, random), s.curve(r, static), s.curve(r, adaptive)
	for i := range fixed {
		if !(batched[i].Y < min(fixed[i].Y, byChance[i].Y)) {
			not = append(not, strconv.Itoa(s.values[i]))
		}
	}
	f := Finding{
		Paper:  "BAI-Lin-MNL-Adap performs significantly better than the other two strategies.",
		Here:   fmt.Sprintf("It asks fewest at every %s.", s.exponentOf),
		Agrees: len(not) == 0,
	}
	if !f.Agrees {
		f.Here = fmt.Sprintf("It asks fewest at %d of %d values of %s, not at %s.", len(fixed)-len(not), len(fixed),
			s.exponentOf, strings.Join(not, ", "))
	}
	return f
}

// headline is the largest saving of the adaptive strategy.
func (s sweep) headline(r Results) Finding {
	fixed, batched := s.curve(r, static), s.curve(r, adaptive)
	most, at := 0.0, 0
	for i := range fixed {
		if ratio := fixed[i].Y / batched[i].Y; ratio > most {
			most, at = ratio, s.values[i]
		}
	}
	return Finding{
		Paper:  "The adaptive algorithm requires up to 12 times fewer samples than the static one.",
		Here:   fmt.Sprintf("Up to %.1f times fewer, at %s = %d.", most, s.exponentOf, at),
		Agrees: most >= 10,
	}
}

// powerLaw fits log y = c + b·log x by least squares and returns b with its standard error.
func powerLaw(xs, ys []float64) (exponent, se float64) {
	var n, sx, sy, sxx, sxy float64
	for i, x := range xs {
		lx, ly := math.Log(x), math.Log(ys[i])
		n, sx, sy, sxx, sxy = n+1, sx+lx, sy+ly, sxx+lx*lx, sxy+lx*ly
	}
	exponent = (n*sxy - sx*sy) / (n*sxx - sx*sx)
	residual := 0.0
	for i, x := range xs {
		r := math.Log(ys[i]) - sy/n - exponent*(math.Log(x)-sx/n)
		residual += r * r
	}
	return exponent, math.Sqrt(residual / max(n-2, 1) / (sxx - sx*sx/n))
}
