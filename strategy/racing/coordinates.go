package racing

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
)

// Prior scales of the constants, in utility. They are much smaller than the differences of utilities.
const (
	slotScale      = 0.03
	interceptScale = 0.5
)

// coordinates has two sets of rows for the arms. On the screen an arm has a row for every slot and segment that the model
// distinguishes. As an arm it has one row: without a constant for a slot, and averaged over segments. The coordinates are centred
// and uncorrelated over the rows on the screen, but for the constants of what else is offered.
type coordinates struct {
	screen          *choice.Catalogue    // what respondents choose from
	arms            *choice.Catalogue    // what is compared
	alternatives    *choice.Alternatives // the rows on the screen, with those of what else is offered
	slots, segments int                  // 1 if the model does not distinguish them

	whitening *choice.Whitening // of very many arms; otherwise nil
}

// newCoordinates returns the coordinates of arms. The offer adds rows to those on the screen,
// and its constants as coordinates to all rows.
func newCoordinates(c *choice.Catalogue, m Model, offer choice.Offer, k int, size lookSizes) (*coordinates, error) {
	v, err := pickCoordinates(c, m, k, size)
	if err != nil {
		return nil, err
	}
	v.alternatives = choice.NewAlternatives(v.screen, offer)
	v.screen = v.alternatives.Rows()
	if constants := v.screen.Constants(); constants > 0 {
		v.arms, err = withConstants(v.arms, v.screen.Features())
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

// pickCoordinates returns the coordinates of arms if respondents only pick and rank.
func pickCoordinates(c *choice.Catalogue, m Model, k int, size lookSizes) (*coordinates, error) {
	if size.isMany(c) {
		return manyCoordinates(c)
	}
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	if m.Intercepts {
		if white, err = survey.WithIntercepts(white, interceptScale); err != nil {
			return nil, err
		}
	}
	v := &coordinates{screen: white, arms: white, slots: 1, segments: 1}
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

// manyCoordinates returns the coordinates of very many arms, or of the profiles of a product. It computes
// coordinates only for the arms that are shown.
func manyCoordinates(c *choice.Catalogue) (*coordinates, error) {
	v := &coordinates{slots: 1, segments: 1}
	if c.Product() != nil {
		white, err := choice.Whiten(c)
		if err != nil {
			return nil, err
		}
		v.arms = white
	} else {
		white, err := choice.NewWhitening(c)
		if err != nil {
			return nil, err
		}
		v.whitening, v.arms = white, white.Catalogue()
	}
	v.screen = choice.Remember(v.arms)
	return v, nil
}

// distinguish sets the rows: for every segment the coordinates of the arms, zero in other
// segments, and then contrasts of the slots.
func (v *coordinates) distinguish(white *choice.Catalogue, shares []float64) error {
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
	if v.screen, err = choice.NewCatalogue(shownIDs, features, shown); err != nil {
		return err
	}
	v.arms, err = choice.NewCatalogue(judgedIDs, features, judged)
	return err
}

// none returns the row of none of the arms, nil if that is not offered.
func (v *coordinates) none() []float64 {
	if !v.alternatives.Offer().Outside {
		return nil
	}
	return v.screen.Arm(v.alternatives.NoneRow())
}

// row returns the number of the row of an arm in a slot and a segment.
func (v *coordinates) row(arm, slot, segment int) int {
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

// fewProfiles is the number of profiles up to which the active set has all of them, so that it misses no informative one.
const fewProfiles = 256

// chooseProfiles returns the active set of the profiles of a product, and the leader. Utilities add up over its groups, so the
// leader has the best option of every group. If another profile is better by more than ε, then a profile that differs in only one
// of the G groups is better by more than ε/G. These profiles are the rivals, and the certificate needs no others. The set also
// has profiles that are informative about the most doubtful rivals.
func (c *problem) chooseProfiles(b *evidence.Belief) (set activeSet, leader int) {
	product := c.rows.arms.Product()
	utilities := product.Utilities(b.Fitted)
	leader = product.Best(utilities)
	rivals := product.Changes(leader)
	arms := append([]int{leader}, rivals...)
	l := c.newLeads(subset(c.rows, slices.Sorted(slices.Values(arms)), rivals), b, leader)
	if n := c.catalogue.Len(); n <= fewProfiles {
		for arm := range n {
			arms = append(arms, arm)
		}
	}
	towards := make([]float64, c.dim())
	for _, place := range l.MostDoubtful(probes) {
		survey.Multiply(towards, b.Inverse, l.Difference(place))
		arms = appendInformativeProfiles(arms, product, product.Utilities(towards), utilities)
	}
	return subset(c.rows, c.padToK(arms), rivals), leader
}

// appendInformativeProfiles appends the profiles with extreme values z, alone and traded against utility u: those with the
// largest ±z + λu for several λ. A question about them is informative about z if they are about equally likely to be picked.
func appendInformativeProfiles(arms []int, product *choice.Product, z, u [][]float64) []int {
	scale := spread(z) / max(spread(u), 1e-9)
	for _, sign := range []float64{1, -1} {
		for _, trade := range []float64{0, 0.25, 0.5, 1, 2, 4} {
			values := make([][]float64, len(z))
			for g := range z {
				for option := range z[g] {
					values[g] = append(values[g], sign*z[g][option]+trade*scale*u[g][option])
				}
			}
			arms = append(arms, product.Best(values))
		}
	}
	return arms
}

// spread returns the standard deviation of a sum over groups, one option of each drawn at random.
func spread(values [][]float64) float64 {
	variance := 0.0
	for _, group := range values {
		var mean, squares float64
		for _, x := range group {
			mean += x / float64(len(group))
			squares += x * x / float64(len(group))
		}
		variance += max(squares-mean*mean, 0)
	}
	return math.Sqrt(variance)
}
