package racing

import (
	"math"
	"slices"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// A contest is what a race is about: the arms, their coordinates and the settings. It changes only
// when arms come or go.
type contest struct {
	catalogue *choice.Catalogue
	views     *views
	settings  Settings
	size      sizes
	groups    float64 // of a product, those whose options differ; otherwise 1
	epsilon   float64 // by how much a rival may be better: ε/groups
	withdrawn []int
}

func newContest(c *choice.Catalogue, settings Settings, size sizes) (contest, error) {
	if err := settings.check(c, size); err != nil {
		return contest{}, err
	}
	v, err := newViews(c, settings.Model, settings.K, size)
	if err != nil {
		return contest{}, err
	}
	groups := groupCount(v.judged.Product())
	return contest{catalogue: c, views: v, settings: settings, size: size, groups: groups, epsilon: settings.Epsilon / groups}, nil
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

// universal is the share of the capital for the evidence about all of θ. The rest is for duels,
// for each arm its own. Only the arm that is truly best can make a verdict wrong, and which that
// is does not depend on the answers, so each arm may have the rest in full.
//
// Once arms have come or gone it may depend on them, if they came or went because of the answers.
// From then on duels do not count and are not asked: the universal share alone eliminates an arm
// validly whichever arm is best, and whether or not duels counted before.
//
// With clicks at random there is no evidence about all of θ, and with segments none from duels,
// which compare utilities of one segment only.
//
// A duel of profiles that differ in one group of a product is one of two options, whatever the
// rest of the profiles. If a verdict is wrong, the truly best option of some group was eliminated,
// so the rest is divided among the groups, and every option of a group may have its group's part
// in full.
func (c *contest) universal() float64 {
	switch m := c.settings.Model; {
	case m.Clicks:
		return 0
	case len(m.Segments) > 0:
		return 1
	}
	return 0.7
}

// duelCapital is what every side of a duel, an arm or an option, has for its duels.
func (c *contest) duelCapital() float64 { return (1 - c.universal()) / c.groups }
