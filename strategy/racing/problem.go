package racing

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy/internal/survey"
)

// A problem is what a race solves: the arms, their coordinates and the settings. It changes only
// when arms are added or withdrawn.
type problem struct {
	catalogue *choice.Catalogue
	rows      *coordinates
	settings  Settings
	size      lookSizes
	groups    float64 // of a product, those whose options differ; otherwise 1
	epsilon   float64 // the largest lead of a rival: ε/groups
	withdrawn []int
	prior     *evidence.Prior // in the coordinates shown; nil without one
}

func newProblem(c *choice.Catalogue, settings Settings, size lookSizes) (problem, error) {
	if err := settings.check(c, size); err != nil {
		return problem{}, err
	}
	rows, err := newCoordinates(c, settings.Model, settings.Offer, settings.K, size)
	if err != nil {
		return problem{}, err
	}
	groups := survey.Groups(rows.arms.Product())
	made := problem{catalogue: c, rows: rows, settings: settings, size: size, groups: groups, epsilon: settings.Epsilon / groups}
	if settings.Prior != nil {
		made.prior, err = settings.Prior.in(c, rows.screen)
	}
	return made, err
}

// delta is the error probability of the linear evidence.
func (c *problem) delta() float64 { return c.settings.Delta * (1 - c.settings.Fallback) }

// threshold is the log of the evidence that eliminates an arm.
func (c *problem) threshold() float64 { return math.Log(1 / c.delta()) }

// dim is the number of coordinates that arms are judged by.
func (c *problem) dim() int { return c.rows.arms.Dim() }

func (c *problem) isWithdrawn(arm int) bool { return slices.Contains(c.withdrawn, arm) }

// universal is the share of the capital for the evidence about all of θ. The rest is for duels and tilts, and each arm has the
// rest in full. Only the arm that is truly best can make a verdict wrong, and that arm does not depend on the answers.
//
// After arms were added or withdrawn it may depend on them, if the change was due to the answers.
// From then on duels and tilts do not count, and duels are not asked. The universal share alone eliminates an arm
// validly, whichever arm is best and whether or not duels counted before.
//
// With clicks in the model there is no evidence about all of θ, and with segments none from duels, which compare utilities of one
// segment only. Nor are there duels with Top, where no single arm can make a verdict wrong.
//
// A duel of profiles that differ in one group of a product is a duel of two options, whatever the rest of the profiles. If a
// verdict is wrong, the truly best option of some group was eliminated. So the rest is divided among the groups, and every option
// of a group has its group's part in full.
func (c *problem) universal() float64 {
	switch m := c.settings.Model; {
	case m.Clicks:
		return 0
	case len(m.Segments) > 0 || c.settings.Top != 0:
		return 1
	}
	if c.tilted() {
		return tiltedUniversal
	}
	return 0.7
}

// duelCapital is the capital for the duels of one side, an arm or an option.
func (c *problem) duelCapital() float64 {
	if c.tilted() {
		return 1 - tiltedUniversal - tiltedShare
	}
	return (1 - c.universal()) / c.groups
}

// The shares of the capital where arms have tilts. The rest is for duels.
const (
	tiltedUniversal = 0.4
	tiltedShare     = 0.4
)

// armsPerFeature: fewer arms than this many times the features have no tilts.
const armsPerFeature = 3

// tilted reports whether arms have capital for tilts: where many arms share few features, and picks depend on these alone.
// Elsewhere tilts took more answers. The answers of an offer, and several best arms, have no tilts.
func (c *problem) tilted() bool {
	s := &c.settings
	return s.Model.IsPlain() && s.Offer == choice.Offer{} && s.Top == 0 &&
		c.rows.whitening == nil && c.rows.arms.Product() == nil && c.catalogue.Len()-1 >= armsPerFeature*c.dim()
}
