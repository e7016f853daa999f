package checks

import "math"

// position bets that what stands in some places of the screen is picked more often: every slot
// has a constant in the utilities, learned by Newton steps slot by slot.
type position struct {
	bets

	Slots []tilt `json:"slots"`
}

func (c *position) observe(p Pick) {
	for len(c.Logs) < 1 {
		c.Logs = append(c.Logs, 0)
	}
	sum := 0.0
	tilted := make([]float64, len(p.Arms))
	for i, slot := range p.Slots {
		for slot >= len(c.Slots) {
			c.Slots = append(c.Slots, tilt{Precision: priorTilt})
		}
		tilted[i] = p.Shares[i] * math.Exp(c.Slots[slot].Beta)
		sum += tilted[i]
	}
	c.Logs[0] += c.Slots[p.Slots[p.Picked]].Beta - math.Log(sum)
	for i, slot := range p.Slots {
		q := tilted[i] / sum
		gradient := -q
		if i == p.Picked {
			gradient++
		}
		c.Slots[slot].move(gradient, q*(1-q))
	}
}
