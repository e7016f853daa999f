package racing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

const (
	maxTilts     = 16       // arms whose tilts are directed, the most doubtful ones
	aimEvery     = 1.0 / 32 // of the answers so far
	straighten   = 2.0      // times the correction that would undo the drift at once
	maxTiltTerms = 20_000   // of an arm, after which its tilts have no more directions; see [evidence.Tilts.Terms]

	firstTiltLevel = 1.0  // of Z
	tiltLevelRatio = 1.3  // from one to the next
	bestTiltLevel  = 3.0  // of Z
	tiltLevelShare = 0.15 // of an arm's capital for tilts, for the best level
	tiltLevelWidth = 0.7  // of the weights, in log Z
)

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
func (t *tilting) aim(tilts *evidence.Tilts, b *evidence.Belief, l *leads, contenders []strategy.Standing, answered int) {
	if answered < t.Next {
		return
	}
	t.Next = answered + max(1, int(aimEvery*float64(answered)))
	tilts.NextBatch()
	if tilts.Terms() >= maxTiltTerms {
		t.Next = math.MaxInt
		return
	}
	most := survey.Smallest{Size: maxTilts}
	for _, contender := range contenders {
		place := l.place(contender.Arm)
		z := l.Z(place)
		if t.Funds[contender.Arm] != nil || z >= firstTiltLevel {
			most.Offer(place, z)
		}
	}
	for _, place := range most.Sorted() {
		arm := l.arm(place)
		tilts.Aim(arm, direction(tilts, b, l, place))
		if share := t.invest(arm, l.Z(place)); share > 0 {
			tilts.Start(arm, tiltedShare*share)
		}
	}
}

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

// direction returns the tilt against the arm at a place: the estimated lead in the least favourable direction,
// (Δ̂+ε)·H⁻¹c/(c'H⁻¹c), where c is the difference of the features. As questions change, the drift of the tilts so far leaves the
// direction of c; the part of it that is orthogonal to c in H⁻¹ is corrected.
func direction(tilts *evidence.Tilts, b *evidence.Belief, l *leads, place int) []float64 {
	c := l.Difference(place)
	solved := make([]float64, len(c))
	survey.Multiply(solved, b.Inverse, c)
	width, lead := floats.Dot(c, solved), l.Lead(place)+l.Epsilon
	null := slices.Clone(b.Fitted)
	floats.AddScaled(null, -lead/width, solved)
	h := floats.ScaleTo(make([]float64, len(c)), lead/width, solved)
	drift := tilts.Drift(l.arm(place), null)
	floats.AddScaled(drift, -floats.Dot(drift, solved)/width, c)
	survey.Multiply(solved, b.Inverse, drift)
	floats.AddScaled(h, -straighten, solved)
	return h
}
