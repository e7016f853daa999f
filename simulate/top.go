package simulate

// IsTop reports whether no arm is better by more than epsilon than one that is ranked above it, up to the
// rounding of utilities: any other arm than one of top, and if top has all arms, than an earlier one.
func (i Instance) IsTop(top []int, epsilon float64) bool {
	place := make(map[int]int, len(top))
	for at, arm := range top {
		place[arm] = at
	}
	ranking := len(top) == i.Catalogue.Len()
	for at, above := range top {
		for arm := range i.Catalogue.Len() {
			other, inside := place[arm]
			if below := !inside || ranking && other > at; below && i.Lead(arm, above) > epsilon+rounding {
				return false
			}
		}
	}
	return true
}
