package racing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/strategy"
)

// The shares of the capital where arms have tilts. The rest is for duels.
const (
	tiltedUniversal = 0.4
	tiltedShare     = 0.4
)

const (
	armsPerFeature = 3        // fewer arms than this many times the features have no tilts
	maxTilts       = 16       // arms whose tilts are directed, the most doubtful ones
	aimEvery       = 1.0 / 32 // of the answers so far
	straighten     = 2.0      // times the correction that would undo the drift at once
	maxTiltTerms   = 20_000   // of an arm, after which its tilts have no more directions; see [evidence.Tilts.Terms]

	firstTiltLevel = 1.0  // of Z
	tiltLevelRatio = 1.3  // from one to the next
	bestTiltLevel  = 3.0  // of Z
	tiltLevelShare = 0.15 // of an arm's capital for tilts, for the best level
	tiltLevelWidth = 0.7  // of the weights, in log Z
	surveyShare    = 0.1  // of the capital, invested in the evidence that a survey is expected to end with
)

// tilted reports whether arms have capital for tilts: where many arms share few features, and picks
// depend on these alone. Elsewhere tilts took more answers. The answers of an offer, and several best
// arms, have no tilts.
func (c *contest) tilted() bool {
	s := &c.settings
	return s.Model.plain() && s.Assume != strategy.Majority && s.Offer == choice.Offer{} && s.Top == 0 &&
		c.views.whitening == nil && c.views.judged.Product() == nil && c.catalogue.Len()-1 >= armsPerFeature*c.dim()
}

// tilting decides when tilts are directed anew, and when to invest in them.
type tilting struct {
	Next  int           `json:"next"`            // answers when the next batch begins
	Funds map[int]*fund `json:"funds,omitempty"` // by arm
}

// A fund is an arm's capital for tilts.
type fund struct {
	Level float64 `json:"level"` // Z at which the next investment is made
	Cash  float64 `json:"cash"`  // share that is not invested yet
}

// aim begins a batch when it is time: it directs the tilts of the most doubtful contenders, and
// invests in those whose Z has reached the next level. Races whose questions repeat, as racing's own do,
// end long before the number of terms is reached; a large import of other questions does not.
func (r *Racing) aim(contenders []strategy.Standing) {
	s := &r.state
	if !r.tiltsCount() || s.Answered < s.Tilting.Next {
		return
	}
	s.Tilting.Next = s.Answered + max(1, int(aimEvery*float64(s.Answered)))
	r.tilts.NextBatch()
	if r.tilts.Terms() >= maxTiltTerms {
		s.Tilting.Next = math.MaxInt
		return
	}
	most := smallest{size: maxTilts}
	for _, contender := range contenders {
		place := r.leads.place(contender.Arm)
		z := r.leads.z(place)
		if s.Tilting.Funds[contender.Arm] != nil || z >= firstTiltLevel {
			most.offer(place, z)
		}
	}
	for _, place := range most.sorted() {
		arm := r.leads.arm(place)
		r.tilts.Aim(arm, r.direction(place))
		if share := s.Tilting.invest(arm, r.leads.z(place)); share > 0 {
			r.tilts.Start(arm, tiltedShare*share)
		}
	}
}

// tiltsCount reports whether tilts are evidence. As with duels, which arm is best may depend on the
// answers once arms were added or withdrawn.
func (r *Racing) tiltsCount() bool { return r.contest.tilted() && !r.state.Duels.Closed }

// invest returns the share of an arm's capital for tilts to invest now: more of it the nearer Z is to
// the best level. Only one number is learned, so that is early.
func (t *tilting) invest(arm int, z float64) float64 {
	if t.Funds == nil {
		t.Funds = map[int]*fund{}
	}
	f := t.Funds[arm]
	if f == nil {
		f = &fund{Level: firstTiltLevel, Cash: 1}
		t.Funds[arm] = f
	}
	share := 0.0
	for ; f.Level <= z && f.Level < maxLevel; f.Level *= tiltLevelRatio {
		x := math.Log(f.Level/bestTiltLevel) / tiltLevelWidth
		share += tiltLevelShare * math.Exp(-x*x/2)
	}
	share = min(share, f.Cash/2)
	f.Cash -= share
	return share
}

// direction returns the tilt against the arm at a place: the estimated lead in the least favourable
// direction, (Δ̂+ε)·H⁻¹c/(c'H⁻¹c), where c is the difference of the features. As questions change, the
// drift of the tilts so far leaves the direction of c; the part of it that is orthogonal to c in H⁻¹ is
// corrected.
func (r *Racing) direction(place int) []float64 {
	b, c := &r.state.Belief, r.leads.difference(place)
	solved := make([]float64, len(c))
	multiply(solved, b.Inverse, c)
	width, lead := floats.Dot(c, solved), r.leads.lead(place)+r.leads.epsilon
	null := slices.Clone(b.Fitted)
	floats.AddScaled(null, -lead/width, solved)
	h := floats.ScaleTo(make([]float64, len(c)), lead/width, solved)
	drift := r.tilts.Drift(r.leads.arm(place), null)
	floats.AddScaled(drift, -floats.Dot(drift, solved)/width, c)
	multiply(solved, b.Inverse, drift)
	floats.AddScaled(h, -straighten, solved)
	return h
}

// search returns a lower bound on the evidence about all of θ and from tilts against the arm at a
// place.
func (w *weighing) search(place int) float64 {
	if w.tilts == nil {
		return w.look.Infimum(w.leads.difference(place), w.contest.epsilon)
	}
	return w.look.TiltedInfimum(w.tilts, w.leads.arm(place), w.leads.difference(place), w.contest.epsilon, w.contest.threshold())
}

// guess approximates the evidence against the arm at a place. Tilts are evaluated where the lead has
// just vanished, and only if Z is so large that they may matter.
func (w *weighing) guess(place int) float64 {
	z := w.leads.z(place)
	parts := []float64{w.duelled[place], w.look.Guess(z)}
	if w.tilts != nil && z+math.Log(tiltedShare) >= w.contest.threshold()-searchMargin {
		null := w.look.Vanished(w.leads.difference(place), w.contest.epsilon)
		parts = append(parts, w.tilts.Log(w.leads.arm(place), null))
	}
	return choice.LogSumExp(parts)
}
