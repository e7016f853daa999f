package strategy

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"bestpick/evidence"
)

// A fieldSize says up to how many arms all are weighed at every look, and of more how many.
type fieldSize struct {
	few       int
	doubtful  int // that are most in doubt
	strangers int // drawn from all that are not refuted
}

func usualSize() fieldSize { return fieldSize{few: 4096, doubtful: 256, strangers: 16} }

const (
	longPause   = 8         // answers between looks at very many arms, at least
	mostDuels   = 4096      // opened in all, among very many arms
	tenthAsGood = math.Ln10 // in utility: picked a tenth as often
)

// A crowdedField is scratch for numbers of all arms, where they are very many.
type crowdedField struct {
	utilities, widths, values []float64
}

// refuted reports whether an arm among very many is refuted.
func (s *racingState) refuted(arm int) bool { return s.Refuted[arm/64]>>(arm%64)&1 == 1 }

// refute notes that it is.
func (s *racingState) refute(arm int) { s.Refuted[arm/64] |= 1 << (arm % 64) }

// gatherMany chooses the field among very many arms: those whose lead is least certain, some
// drawn at random, and arms that tell much about the most doubtful. It takes a few passes over
// the catalogue, each on all cores; what is planned then costs the same however many arms
// there are.
func (r *Racing) gatherMany() (leader int) {
	n := r.catalogue.Len()
	if len(r.crowded.utilities) != n {
		r.crowded = crowdedField{make([]float64, n), make([]float64, n), make([]float64, n)}
	}
	if words := (n + 63) / 64; len(r.state.Refuted) != words {
		r.state.Refuted = make([]uint64, words)
	}
	if leader = r.survey(); leader != r.state.Leader {
		clear(r.state.Refuted) // that was against another leader
	}
	utilities, widths := r.crowded.utilities, r.crowded.widths
	var least, near smallest
	least.reset(r.size.doubtful)
	near.reset(r.settings.K)
	left := 0
	for arm, width := range widths {
		if width <= 0 || r.withdrawn(arm) {
			continue
		}
		lead := utilities[leader] - utilities[arm] + r.epsilon
		near.offer(arm, lead*lead/width)
		if !r.state.refuted(arm) {
			left++
			least.offer(arm, lead*lead/width)
		}
	}
	rivals := least.sorted()
	arms := append(append([]int{leader}, rivals...), near.sorted()...)
	for range r.size.strangers {
		if arm := r.rng.IntN(n); !r.withdrawn(arm) && !r.state.refuted(arm) && widths[arm] > 0 {
			arms, rivals = append(arms, arm), append(rivals, arm)
		}
	}
	towards := make([]float64, r.views.white.Dim())
	for _, arm := range rivals[:min(len(rivals), probes)] {
		g := r.views.judged.Arm(leader)
		for k, x := range r.views.judged.Arm(arm) {
			g[k] -= x
		}
		multiply(towards, r.state.Belief.Inverse, g)
		r.views.white.Multiply(r.crowded.values, towards)
		arms = r.appendExtremes(arms, utilities[leader]-tenthAsGood)
	}
	r.setField(r.views.some(r.enough(arms), rivals))
	r.state.Others = left
	for place := range r.field.rivals {
		if r.field.rival(place) {
			r.state.Others--
		}
	}
	return leader
}

// survey sets the utilities of all arms and the squared widths of the leader's leads, and
// returns the leader.
func (r *Racing) survey() int {
	r.views.white.Multiply(r.crowded.utilities, r.state.Belief.Fitted)
	leader := -1
	for arm, u := range r.crowded.utilities {
		if (leader < 0 || u > r.crowded.utilities[leader]) && !r.withdrawn(arm) {
			leader = arm
		}
	}
	d := r.views.white.Dim()
	var information mat.Cholesky
	inverse := mat.NewSymDense(d, nil)
	if !information.Factorize(mat.NewSymDense(d, append([]float64(nil), r.state.Belief.Inverse...))) || information.InverseTo(inverse) != nil || !information.Factorize(inverse) {
		panic("strategy: what is known is not positive definite")
	}
	r.views.white.Distances(r.crowded.widths, &information, leader)
	return leader
}

// appendExtremes appends the arms with the most extreme values, of all and of those at least
// as good as given.
func (r *Racing) appendExtremes(arms []int, good float64) []int {
	const each = 12
	var ends [4]smallest
	for i := range ends {
		ends[i].reset(each)
	}
	for arm, z := range r.crowded.values {
		if r.withdrawn(arm) {
			continue
		}
		ends[0].offer(arm, z)
		ends[1].offer(arm, -z)
		if r.crowded.utilities[arm] >= good {
			ends[2].offer(arm, z)
			ends[3].offer(arm, -z)
		}
	}
	for i := range ends {
		arms = append(arms, ends[i].sorted()...)
	}
	return arms
}

// refuteOthers strikes out arms that are no rivals in the field and far enough behind, without a
// search, and counts those that are left.
func (r *Racing) refuteOthers(look *evidence.Look, threshold float64) {
	r.views.white.Multiply(r.crowded.utilities, look.Theta)
	r.views.white.Distances(r.crowded.widths, look.Factor(), r.state.Leader)
	top := r.crowded.utilities[r.state.Leader]
	r.state.Others = 0
	for arm, width := range r.crowded.widths {
		if width <= 0 || r.state.refuted(arm) || r.withdrawn(arm) || r.field.has(arm) && r.leads[r.field.place(arm)] > 0 {
			continue
		}
		if look.AgainstLead(top-r.crowded.utilities[arm]+r.epsilon, math.Sqrt(width)) >= threshold {
			r.state.refute(arm)
		} else {
			r.state.Others++
		}
	}
}
