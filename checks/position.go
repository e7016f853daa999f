package checks

// position bets on position effects: every slot of the screen has a constant in the utilities,
// learned by Newton steps slot by slot.
type position struct {
	bets

	Slots []tilt `json:"slots"`
}

func (c *position) observe(p Pick) {
	for len(c.Logs) < 1 {
		c.Logs = append(c.Logs, 0)
	}
	q := make([]float64, len(p.Slots))
	for i, slot := range p.Slots {
		for slot >= len(c.Slots) {
			c.Slots = append(c.Slots, tilt{Precision: priorTilt})
		}
		q[i] = c.Slots[slot].Beta
	}
	c.Logs[0] += tilted(q, p.Shares, p.Picked)
	for i, slot := range p.Slots {
		gradient := -q[i]
		if i == p.Picked {
			gradient++
		}
		c.Slots[slot].move(gradient, q[i]*(1-q[i]))
	}
}
