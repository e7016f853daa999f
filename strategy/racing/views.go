package racing

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// Prior scales of the constants, in utility. They are much smaller than the differences of
// utilities.
const (
	slotScale      = 0.03
	interceptScale = 0.5
)

// views has two sets of coordinates for the arms. An arm as shown has a row for every slot and
// segment that the model distinguishes. An arm as judged has one row: without a constant for a
// slot, and averaged over segments. The coordinates are centred and uncorrelated over the rows
// shown, but for the constants of what else is offered.
type views struct {
	shown, judged   *choice.Catalogue
	alternatives    *choice.Alternatives // the rows shown, with those of what else is offered
	slots, segments int                  // 1 if the model does not distinguish them

	whitening *choice.Whitening // of very many arms; otherwise nil
	plain     *choice.Catalogue // without residuals, where they are added; otherwise nil
}

// newViews returns the views of arms. The offer adds rows to those shown, and its constants as
// coordinates to both views.
func newViews(c *choice.Catalogue, m Model, offer choice.Offer, k int, size sizes) (*views, error) {
	v, err := pickViews(c, m, k, size)
	if err != nil {
		return nil, err
	}
	v.alternatives = choice.NewAlternatives(v.shown, offer)
	v.shown = v.alternatives.Rows()
	if constants := v.shown.Constants(); constants > 0 {
		v.judged, err = withConstants(v.judged, v.shown.Features())
	}
	return v, err
}

// withConstants returns the arms with further features, all zero.
func withConstants(arms *choice.Catalogue, features []string) (*choice.Catalogue, error) {
	ids, rows := make([]string, arms.Len()), make([][]float64, arms.Len())
	for arm := range rows {
		ids[arm], rows[arm] = arms.ID(arm), make([]float64, len(features))
		copy(rows[arm], arms.Arm(arm))
	}
	return choice.NewCatalogue(ids, features, rows)
}

// pickViews returns the views of arms if respondents only pick and rank.
func pickViews(c *choice.Catalogue, m Model, k int, size sizes) (*views, error) {
	if size.isMany(c) {
		return manyViews(c)
	}
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	if m.Intercepts {
		if white, err = withIntercepts(white, interceptScale); err != nil {
			return nil, err
		}
	}
	v := &views{shown: white, judged: white, slots: 1, segments: 1}
	if !m.Slots && len(m.Segments) == 0 {
		return v, nil
	}
	shares := []float64{1}
	if m.Slots {
		v.slots = k
	}
	if len(m.Segments) > 0 {
		shares = m.shares()
		v.segments = len(shares)
	}
	return v, v.distinguish(white, shares)
}

// manyViews returns the views of very many arms, or of the profiles of a product. It computes
// coordinates only for the arms that are shown.
func manyViews(c *choice.Catalogue) (*views, error) {
	v := &views{slots: 1, segments: 1}
	if c.Product() != nil {
		white, err := choice.Whiten(c)
		if err != nil {
			return nil, err
		}
		v.judged = white
	} else {
		white, err := choice.NewWhitening(c)
		if err != nil {
			return nil, err
		}
		v.whitening, v.judged = white, white.Catalogue()
	}
	v.shown = choice.Remember(v.judged)
	return v, nil
}

// distinguish sets the rows: for every segment the coordinates of the arms, zero in other
// segments, and then contrasts of the slots.
func (v *views) distinguish(white *choice.Catalogue, shares []float64) error {
	d := white.Dim()
	width := v.segments*d + v.slots - 1
	contrasts := helmert(v.slots)
	var shownIDs, judgedIDs []string
	var shown, judged [][]float64
	for arm := range white.Len() {
		mean := make([]float64, width)
		for segment, share := range shares {
			floats.AddScaled(mean[segment*d:(segment+1)*d], share, white.Arm(arm))
			for slot := range v.slots {
				row := make([]float64, width)
				copy(row[segment*d:], white.Arm(arm))
				floats.AddScaled(row[v.segments*d:], slotScale, contrasts[slot])
				shown, shownIDs = append(shown, row), append(shownIDs, strconv.Itoa(len(shown)))
			}
		}
		judged, judgedIDs = append(judged, mean), append(judgedIDs, white.ID(arm))
	}
	features := make([]string, width)
	for k := range features {
		features[k] = fmt.Sprint("v", k+1)
	}
	var err error
	if v.shown, err = choice.NewCatalogue(shownIDs, features, shown); err != nil {
		return err
	}
	v.judged, err = choice.NewCatalogue(judgedIDs, features, judged)
	return err
}

// none returns the row of none of the arms, nil if that is not offered.
func (v *views) none() []float64 {
	if !v.alternatives.Offer().Outside {
		return nil
	}
	return v.shown.Arm(v.alternatives.NoneRow())
}

// row returns the number of the row of an arm in a slot and a segment.
func (v *views) row(arm, slot, segment int) int {
	if v.slots == 1 {
		slot = 0
	}
	return (arm*v.segments+segment)*v.slots + slot
}

// helmert returns k rows of k − 1 orthogonal contrasts with mean squares of one.
func helmert(k int) [][]float64 {
	rows := make([][]float64, k)
	for i := range rows {
		rows[i] = make([]float64, k-1)
	}
	for j := 1; j < k; j++ {
		scale := math.Sqrt(float64(k) / float64(j*(j+1)))
		for i := range j {
			rows[i][j-1] = scale
		}
		rows[j][j-1] = -float64(j) * scale
	}
	return rows
}

// withIntercepts adds coordinates to whitened arms, so that any utilities are possible: an
// orthogonal basis of the complement of the features' span, on the given scale.
func withIntercepts(white *choice.Catalogue, scale float64) (*choice.Catalogue, error) {
	n, d := white.Len(), white.Dim()
	if d >= n-1 {
		return white, nil
	}
	known := mat.NewDense(n, d+1, nil)
	for i := range n {
		known.Set(i, 0, 1)
		for k, x := range white.Arm(i) {
			known.Set(i, k+1, x)
		}
	}
	var qr mat.QR
	qr.Factorize(known)
	var q mat.Dense
	qr.QTo(&q)
	scale *= math.Sqrt(float64(n))
	rows, ids := make([][]float64, n), make([]string, n)
	for i := range n {
		ids[i] = white.ID(i)
		rows[i] = append(rows[i], white.Arm(i)...)
		for k := d + 1; k < n; k++ {
			rows[i] = append(rows[i], scale*q.At(i, k))
		}
	}
	features := append([]string(nil), white.Features()...)
	for k := d + 1; k < n; k++ {
		features = append(features, fmt.Sprint("i", k-d))
	}
	return choice.NewCatalogue(ids, features, rows)
}
