package racing

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/design"
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

// expect adds the expected information of an answer to a question to H: of each pick from the places
// that are left, or of none of them if that has a row, in proportion to their weights.
func (o *outlook) expect(l *leads, w *design.Widest, none []float64, q []int) {
	for left := range w.Picked(q) {
		rows, weights := make([][]float64, 0, len(left)+1), make([]float64, 0, len(left)+1)
		for _, place := range left {
			rows, weights = append(rows, l.rows.Arm(place)), append(weights, w.Weights[place])
		}
		if none != nil && len(left) == len(q) {
			rows, weights = append(rows, none), append(weights, w.OutsideWeight)
		}
		o.expectPick(l, rows, weights)
	}
}

// expectPick adds the expected information of a pick to H. H⁻¹ and the squared widths of the leads
// change by one rank-one term for each row to pick from.
func (o *outlook) expectPick(l *leads, rows [][]float64, weights []float64) {
	d := l.rows.Dim()
	mean, centred, solved := make([]float64, d), make([]float64, d), make([]float64, d)
	sum := 0.0
	for _, weight := range weights {
		sum += weight
	}
	for i, row := range rows {
		floats.AddScaled(mean, weights[i]/sum, row)
	}
	leader := l.rows.Arm(l.top)
	for i, row := range rows {
		p := weights[i] / sum
		floats.SubTo(centred, row, mean)
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
