package checks

import (
	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
)

// An intercept is a tilt for one arm: f is one for it and zero for others, minus the part that a
// change of θ would explain, because the plain model makes that change. With c the covariance of f
// and the features, summed over the picks so far, that part is x'H⁻¹c.
type intercept struct {
	tilt

	Cross []float64 `json:"cross"` // c
}

// bet bets on a pick with the arm shown at a place, or −1 if it is not shown.
func (n *intercept) bet(p Pick, arms *choice.Catalogue, place int) float64 {
	d := arms.Dim()
	explained := make([]float64, d)
	for k := range d {
		explained[k] = floats.Dot(p.Belief.Inverse[k*d:(k+1)*d], n.Cross)
	}
	f := make([]float64, len(p.Shown))
	for i, arm := range p.Shown {
		f[i] = -arms.Utility(arm, explained)
	}
	if place >= 0 {
		f[place]++
		for i, arm := range p.Shown {
			floats.AddScaled(n.Cross, -p.Shares[place]*p.Shares[i], arms.Arm(arm))
		}
		floats.AddScaled(n.Cross, p.Shares[place], arms.Arm(p.Shown[place]))
	}
	return n.tilt.bet(p.Shares, f, p.Picked)
}

// intercepts are bets on many intercepts. Each has a key, such as its arm.
type intercepts[K comparable] struct {
	bets

	Keys  []K         `json:"keys"` // in order of appearance
	Items []intercept `json:"items"`

	index map[K]int
}

// Up to fewKeys keys, every bet is made on every pick. Beyond, to save time, only the bets on arms shown are made. They learn
// less, since a change of θ affects other picks, too. To save memory, no bets are opened after the first maxKeys.
const (
	fewKeys = 64
	maxKeys = 4096
)

// observe makes the bets on a pick in which the keys have places.
func (c *intercepts[K]) observe(p Pick, arms *choice.Catalogue, keys []K, places []int) {
	for _, key := range keys {
		if _, known := c.index[key]; !known && len(c.Keys) < maxKeys {
			c.index[key] = len(c.Keys)
			c.Keys, c.Logs = append(c.Keys, key), append(c.Logs, 0)
			c.Items = append(c.Items, intercept{tilt: tilt{Precision: priorTilt}, Cross: make([]float64, arms.Dim())})
		}
	}
	placed := make(map[int]int, len(keys))
	for i, key := range keys {
		at, known := c.index[key]
		if _, twice := placed[at]; !known || twice { // one bet per pick
			continue
		}
		if placed[at] = places[i]; len(c.Keys) > fewKeys {
			c.Logs[at] += c.Items[at].bet(p, arms, places[i])
		}
	}
	if len(c.Keys) > fewKeys {
		return
	}
	for at := range c.Keys {
		place, shown := placed[at]
		if !shown {
			place = -1
		}
		c.Logs[at] += c.Items[at].bet(p, arms, place)
	}
}

func (c *intercepts[K]) reindex() {
	c.index = make(map[K]int, len(c.Keys))
	for at, key := range c.Keys {
		c.index[key] = at
	}
}

// appeal bets on an omitted attribute: that one arm is picked more or less often than its features
// predict. The arm is unknown, so every arm has its own bet.
type appeal struct {
	intercepts[int]
}

func (c *appeal) observe(p Pick, arms *choice.Catalogue) {
	c.intercepts.observe(p, arms, p.Arms, choice.UpTo(len(p.Arms)))
}

// context bets on a context effect: that an arm is picked more or less often when a certain other
// one, such as a decoy, is shown with it. Every ordered pair has its own bet.
type context struct {
	intercepts[[2]int]
}

func (c *context) observe(p Pick, arms *choice.Catalogue) {
	var pairs [][2]int
	var places []int
	for i, arm := range p.Arms {
		for _, beside := range p.Arms {
			if beside != arm {
				pairs, places = append(pairs, [2]int{arm, beside}), append(places, i)
			}
		}
	}
	c.intercepts.observe(p, arms, pairs, places)
}
