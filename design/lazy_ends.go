package design

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The lazy rule computes all distances from at least leastEnds arms, if that many differ, and from
// at most maxEnds. Starting with more would cost more than it saves.
const (
	leastEnds = 6
	maxEnds   = 32
)

// survey builds the families and returns the widest direction. With XY it starts from the arm of
// the largest norm and climbs. Then it repeats that from arms far from all ends, so as not to miss
// a wide pair elsewhere.
func (l *lazy) survey() ranked {
	if l.criterion == G {
		widths := l.precision.norms
		if l.inactive != nil {
			widths = l.activeOnly(slices.Clone(widths))
		}
		l.families = append(l.families[:0], family{-1, widths})
		return l.widest()
	}
	switch {
	case len(l.families) == 0:
		first := l.active[0]
		for _, arm := range l.active {
			if l.precision.norms[arm] > l.precision.norms[first] {
				first = arm
			}
		}
		l.addEnd(first)
	case l.renewals != l.precision.renewals:
		known := l.families
		l.families = nil
		for _, f := range known {
			l.addEnd(f.end)
		}
	}
	widest := l.climb()
	for len(l.families) < leastEnds {
		lone := l.loneliest()
		if l.isEnd(lone) {
			break
		}
		l.addEnd(lone)
		widest = l.climb()
	}
	return widest
}

// climb adds the arm farthest from an end to the ends, then the arm farthest from that, until both
// arms of the widest pair are ends. It returns that pair.
func (l *lazy) climb() ranked {
	widest := l.widest()
	for !l.isEnd(widest.arm) && len(l.families) < maxEnds {
		l.addEnd(widest.arm)
		widest = l.widest()
	}
	return widest
}

// loneliest returns the arm that is farthest from its nearest end.
func (l *lazy) loneliest() int {
	best, most := l.active[0], 0.0
	for arm, nearest := range l.families[0].widths {
		for _, f := range l.families[1:] {
			nearest = min(nearest, f.widths[arm])
		}
		if nearest > most {
			best, most = arm, nearest
		}
	}
	return best
}

// widest returns the widest direction of all families.
func (l *lazy) widest() ranked {
	widest := ranked{0, l.active[0], l.families[0].end}
	for _, f := range l.families {
		for arm, width := range f.widths {
			if width > widest.width {
				widest = ranked{width, arm, f.end}
			}
		}
	}
	return widest
}

// rounded is the share of the norms below which the width of a pair is a rounding error.
const rounded = 1e-12

// addEnd builds the family of the pairs with one arm.
func (l *lazy) addEnd(end int) family {
	p := l.precision
	p.solve(p.catalogue.Arm(end))
	widths := make([]float64, len(p.norms))
	p.catalogue.Multiply(widths, p.solved)
	norm := p.norms[end]
	for j, product := range widths {
		sum := norm + p.norms[j]
		if widths[j] = sum - 2*product; widths[j] < rounded*sum {
			widths[j] = 0 // like copies
		}
	}
	f := family{end, l.activeOnly(widths)}
	l.families = append(l.families, f)
	l.renewals = p.renewals
	return f
}

// activeOnly sets the widths of arms that are not active to zero.
func (l *lazy) activeOnly(widths []float64) []float64 {
	for j, inactive := range l.inactive {
		if inactive {
			widths[j] = 0
		}
	}
	return widths
}

func (l *lazy) isEnd(arm int) bool {
	return slices.ContainsFunc(l.families, func(f family) bool { return f.end == arm })
}

// widen adds to the ends an arm of a pair that attains f_E of a tied arm, and reports
// whether there was one.
func (l *lazy) widen() bool {
	if l.criterion == G || len(l.families) == maxEnds {
		return false
	}
	for _, a := range l.looked {
		if a.value <= l.best*(1+tieTolerance) && !l.isEnd(a.by) {
			l.ranking.add(l.addEnd(a.by))
			return true
		}
	}
	return false
}

// newMoments computes, of the active arms, the ingredients of the sum of (g'V⁻¹a)² over all directions g:
// S = Σ gg' up to a constant factor, which for the differences of all pairs of m arms is
// m·Σ(a_j − ā)(a_j − ā)'.
func (l *lazy) newMoments() *mat.SymDense {
	c := l.precision.catalogue
	d := c.Dim()
	mean := make([]float64, d)
	if l.criterion == XY {
		for _, arm := range l.active {
			for k, x := range c.Arm(arm) {
				mean[k] += x / float64(len(l.active))
			}
		}
	}
	sum := mat.NewSymDense(d, nil)
	const rows = 256
	block := make([]float64, 0, rows*d)
	add := func() {
		blas64.Syrk(blas.Trans, 1, blas64.General{Rows: len(block) / d, Cols: d, Stride: d, Data: block}, 1, sum.RawSymmetric())
		block = block[:0]
	}
	for _, arm := range l.active {
		for k, x := range c.Arm(arm) {
			block = append(block, x-mean[k])
		}
		if len(block) == rows*d {
			add()
		}
	}
	if len(block) > 0 {
		add()
	}
	return sum
}

// taken returns what showing an arm takes from the sum of the widths of all directions.
func (l *lazy) taken(arm int) float64 {
	if l.moments == nil {
		l.moments = l.newMoments()
	}
	l.precision.solve(l.precision.catalogue.Arm(arm))
	y := mat.NewVecDense(len(l.precision.solved), l.precision.solved)
	return mat.Inner(y, l.moments, y) / (1 + l.precision.norms[arm])
}
