package racing

import (
	"iter"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/evidence"
)

// An outlook is the expected knowledge once all planned questions are answered.
type outlook struct {
	Inverse []float64 `json:"inverse"` // H⁻¹
	Widths  []float64 `json:"widths"`  // ‖a_b − a_j‖²_{H⁻¹}, by place
}

func newOutlook(b *evidence.Belief, l *leads) outlook {
	return outlook{slices.Clone(b.Inverse), slices.Clone(l.widths)}
}

// expect adds the expected information of an answer to H: of each pick from the places that are
// left, in proportion to their weights.
func (o *outlook) expect(l *leads, weights []float64, picks iter.Seq[[]int]) {
	for left := range picks {
		o.expectPick(l, weights, left)
	}
}

// expectPick adds the expected information of a pick to H. H⁻¹ and the squared widths of the leads
// change by one rank-one term for each arm to pick from.
func (o *outlook) expectPick(l *leads, weights []float64, q []int) {
	d := l.rows.Dim()
	mean, centred, solved := make([]float64, d), make([]float64, d), make([]float64, d)
	sum := 0.0
	for _, place := range q {
		sum += weights[place]
	}
	for _, place := range q {
		floats.AddScaled(mean, weights[place]/sum, l.rows.Arm(place))
	}
	leader := l.rows.Arm(l.top)
	for _, place := range q {
		p := weights[place] / sum
		floats.SubTo(centred, l.rows.Arm(place), mean)
		multiply(solved, o.Inverse, centred)
		scale := p / (1 + p*floats.Dot(centred, solved))
		for k := range d {
			floats.AddScaled(o.Inverse[k*d:(k+1)*d], -scale*solved[k], solved)
		}
		own := floats.Dot(solved, leader)
		for j := range o.Widths {
			if o.Widths[j] > 0 {
				if l.opponents != nil {
					own = l.rows.Utility(l.opponents[j], solved)
				}
				x := own - l.rows.Utility(j, solved)
				o.Widths[j] = max(o.Widths[j]-scale*x*x, 1e-300)
			}
		}
	}
}
