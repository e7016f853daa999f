package racing

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// A contest is the subject of a race: the arms, their coordinates and the settings. It changes only
// when arms are added or withdrawn.
type contest struct {
	catalogue *choice.Catalogue
	views     *views
	settings  Settings
	size      sizes
	groups    float64 // of a product, those whose options differ; otherwise 1
	epsilon   float64 // the largest lead of a rival: ε/groups
	withdrawn []int
	prior     *evidence.Prior // in the coordinates shown; nil without one
}

func newContest(c *choice.Catalogue, settings Settings, size sizes) (contest, error) {
	if err := settings.check(c, size); err != nil {
		return contest{}, err
	}
	model, offer := settings.Model, settings.Offer
	if settings.Assume == strategy.Majority {
		model.Segments = nil // they have elections instead
		offer = choice.Offer{}
	}
	v, err := newViews(c, model, offer, settings.K, size)
	if err != nil {
		return contest{}, err
	}
	groups := groupCount(v.judged.Product())
	made := contest{catalogue: c, views: v, settings: settings, size: size, groups: groups, epsilon: settings.Epsilon / groups}
	if settings.Prior != nil {
		made.prior, err = settings.Prior.in(c, v.shown)
	}
	return made, err
}

// groupCount returns the number of groups with options that differ; 1 without a product.
func groupCount(p *choice.Product) float64 {
	if p == nil {
		return 1
	}
	count := 0.0
	for _, group := range p.Groups {
		if len(group.Features) > 0 {
			count++
		}
	}
	return count
}

// linearDelta is the error probability of the linear evidence, and majorityDelta that of the majority
// evidence.
func (c *contest) linearDelta() float64 { return c.settings.Delta * (1 - c.settings.Fallback) }

func (c *contest) majorityDelta() float64 {
	if c.settings.Assume == strategy.Majority {
		return c.settings.Delta
	}
	return c.settings.Delta * c.settings.Fallback
}

// threshold is the log of the evidence that eliminates an arm.
func (c *contest) threshold() float64 { return math.Log(1 / c.linearDelta()) }

// points is ε as a share of people.
func (c *contest) points() float64 { return evidence.Points(c.settings.Epsilon) }

// dim is the number of coordinates that arms are judged by.
func (c *contest) dim() int { return c.views.judged.Dim() }

func (c *contest) isWithdrawn(arm int) bool { return slices.Contains(c.withdrawn, arm) }

// universal is the share of the capital for the evidence about all of θ. The rest is for duels and
// tilts, and each arm has the rest in full. Only the arm that is truly best can make a verdict wrong, and that
// arm does not depend on the answers.
//
// After arms were added or withdrawn it may depend on them, if the change was due to the answers.
// From then on duels and tilts do not count, and duels are not asked. The universal share alone eliminates an arm
// validly, whichever arm is best and whether or not duels counted before.
//
// With clicks in the model there is no evidence about all of θ, and with segments none from duels,
// which compare utilities of one segment only. Nor are there duels with Top, where no single arm can make
// a verdict wrong.
//
// A duel of profiles that differ in one group of a product is a duel of two options, whatever the
// rest of the profiles. If a verdict is wrong, the truly best option of some group was eliminated.
// So the rest is divided among the groups, and every option of a group has its group's part in
// full.
func (c *contest) universal() float64 {
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
func (c *contest) duelCapital() float64 {
	if c.tilted() {
		return 1 - tiltedUniversal - tiltedShare
	}
	return (1 - c.universal()) / c.groups
}
