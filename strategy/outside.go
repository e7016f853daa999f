package strategy

import "slices"

// Outside has the arms that are certainly better or worse than the outside option, "none of these".
// With probability 1 − δ all of it is true, at any time and together with the verdict. Arms in
// neither list are undecided, which the strategy does not wait for.
type Outside struct {
	Offered bool  `json:"offered"`          // otherwise there is nothing to compare with
	Better  []int `json:"better,omitempty"` // in the order in which that was certified
	Worse   []int `json:"worse,omitempty"`
}

// Decided reports whether an arm is in one of the lists.
func (o Outside) Decided(arm int) bool {
	return slices.Contains(o.Better, arm) || slices.Contains(o.Worse, arm)
}

// Clone returns a copy.
func (o Outside) Clone() Outside {
	o.Better, o.Worse = slices.Clone(o.Better), slices.Clone(o.Worse)
	return o
}
