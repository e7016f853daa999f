package strategy

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
)

// A Model says what picks may depend on besides a'θ, for the certified strategy. Whatever is
// named here is not assumed away: it is unknown, like θ, and a verdict holds whatever it is.
// That costs answers. The zero Model is the plain one.
type Model struct {
	// Slots gives every slot of the screen a constant in the utilities.
	Slots bool `json:"slots,omitempty"`

	// Intercepts gives every arm a constant, so that features share what is learned about one
	// arm with others, but do not decide. Without useful features this is the case without
	// structure.
	Intercepts bool `json:"intercepts,omitempty"`

	// Clicks lets an unknown share of the picks be at random. The evidence is then from direct
	// comparisons only: of two arms the better one is picked more often, however many click.
	Clicks bool `json:"clicks,omitempty"`

	// Segments gives every segment a θ of its own. The best arm is the one with the largest
	// mean utility, weighted by the shares.
	Segments []Segment `json:"segments,omitempty"`
}

// A Segment is a part of the population that answers name.
type Segment struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of the population; shares need not sum to 1
}

// check refuses a model that makes no sense.
func (m Model) check() error {
	total, names := 0.0, map[string]bool{}
	for _, s := range m.Segments {
		if !(s.Share > 0) || math.IsInf(s.Share, 1) {
			return fmt.Errorf("strategy: segment %q has a share of %v", s.Name, s.Share)
		}
		if names[s.Name] {
			return fmt.Errorf("strategy: segment %q is named twice", s.Name)
		}
		names[s.Name], total = true, total+s.Share
	}
	switch {
	case len(m.Segments) == 1:
		return fmt.Errorf("strategy: one segment is no segment")
	case m.Clicks && len(m.Segments) > 0:
		return fmt.Errorf("strategy: segments do not go with clicks at random")
	case m.Clicks && m.Intercepts:
		return fmt.Errorf("strategy: with clicks at random the evidence does not use features; intercepts change nothing")
	}
	return nil
}

// segment returns the number of a segment.
func (m Model) segment(name string) (int, error) {
	if len(m.Segments) == 0 {
		return 0, nil
	}
	for i, s := range m.Segments {
		if s.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("strategy: there is no segment %q", name)
}

// Prior scales of the constants, in utility: much less than utilities differ.
const (
	slotScale      = 0.03
	interceptScale = 0.5
)

// views are the arms as they are shown, each with a row of features of its own for every slot
// and segment as far as the model tells these apart, and the arms as they are judged: with no
// constant for a slot, and averaged over segments. The coordinates are centred and
// uncorrelated over what is shown.
type views struct {
	shown, judged   *choice.Catalogue
	arms            int
	slots, segments int // 1 where the model does not tell them apart
}

func newViews(c *choice.Catalogue, m Model, k int) (*views, error) {
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	if m.Intercepts {
		if white, err = withIntercepts(white); err != nil {
			return nil, err
		}
	}
	v := &views{shown: white, judged: white, arms: c.Len(), slots: 1, segments: 1}
	if !m.Slots && len(m.Segments) == 0 {
		return v, nil
	}
	if m.Slots {
		v.slots = k
	}
	v.segments = max(len(m.Segments), 1)
	shares, total := []float64{1}, 1.0
	if v.segments > 1 {
		shares, total = nil, 0
		for _, s := range m.Segments {
			shares, total = append(shares, s.Share), total+s.Share
		}
	}
	n, d := c.Len(), white.Dim()
	width := v.segments*d + v.slots - 1
	contrasts := helmert(v.slots)
	var shownIDs, judgedIDs, features []string
	var shown, judged [][]float64
	for arm := range n {
		judgedIDs = append(judgedIDs, c.ID(arm))
		mean := make([]float64, width)
		for g, share := range shares {
			for j, x := range white.Arm(arm) {
				mean[g*d+j] = share / total * x
			}
		}
		judged = append(judged, mean)
		for g := range v.segments {
			for slot := range v.slots {
				row := make([]float64, width)
				copy(row[g*d:], white.Arm(arm))
				for j, x := range contrasts[slot] {
					row[v.segments*d+j] = slotScale * x
				}
				shown, shownIDs = append(shown, row), append(shownIDs, fmt.Sprintf("%d %d %d", arm, g, slot))
			}
		}
	}
	for j := range width {
		features = append(features, fmt.Sprint("v", j+1))
	}
	if v.shown, err = choice.NewCatalogue(shownIDs, features, shown); err != nil {
		return nil, err
	}
	v.judged, err = choice.NewCatalogue(judgedIDs, features, judged)
	return v, err
}

// view returns which of the rows shown an arm is in a slot and a segment.
func (v *views) view(arm, slot, segment int) int {
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
// orthogonal basis of what the features do not span, on a smaller scale.
func withIntercepts(white *choice.Catalogue) (*choice.Catalogue, error) {
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
	scale := interceptScale * math.Sqrt(float64(n))
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
