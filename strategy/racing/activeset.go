package strategy

import (
	"slices"
	"strconv"

	"bestpick/choice"
)

// A field is the arms that a look weighs one by one, each at its place: all of them where they
// are few. Where they are very many ([Racing.gatherMany]), or the profiles of a product
// ([Racing.gatherProduct]), it is those that matter at the time.
type field struct {
	arms   []int       // at each place, in increasing order; nil for all
	places map[int]int // of the arms; nil for all
	rivals []bool      // whether the arm at a place must be refuted; nil for all
	rows   *choice.Catalogue
}

// arm returns the arm at a place.
func (f *field) arm(place int) int {
	if f.arms == nil {
		return place
	}
	return f.arms[place]
}

// place returns the place of an arm, which must be in the field.
func (f *field) place(arm int) int {
	if f.arms == nil {
		return arm
	}
	place, there := f.places[arm]
	if !there {
		panic("strategy: an arm is not in the field")
	}
	return place
}

// has reports whether an arm is in the field.
func (f *field) has(arm int) bool {
	_, there := f.places[arm]
	return there || f.arms == nil
}

// rival reports whether the arm at a place must be refuted.
func (f *field) rival(place int) bool { return f.rivals == nil || f.rivals[place] }

// everybody is the field of all arms.
func everybody(v *views) field { return field{rows: v.judged} }

// some is the field of some arms in increasing order, some of them rivals.
func (v *views) some(arms, rivals []int) field {
	must := make([]bool, len(arms))
	for _, rival := range rivals {
		place, _ := slices.BinarySearch(arms, rival)
		must[place] = true
	}
	return v.field(arms, must)
}

// field is the field of arms in increasing order.
func (v *views) field(arms []int, rivals []bool) field {
	f := field{arms: arms, places: make(map[int]int, len(arms)), rivals: rivals}
	ids, rows := make([]string, len(arms)), make([][]float64, len(arms))
	for place, arm := range arms {
		f.places[arm] = place
		ids[place], rows[place] = strconv.Itoa(arm), v.judged.Arm(arm)
	}
	made, err := choice.NewCatalogue(ids, v.judged.Features(), rows)
	if err != nil {
		panic("strategy: " + err.Error())
	}
	f.rows = made
	return f
}

// gather chooses the field, by what is believed, and with it the leader; -1 leaves the leader
// open. What is a rival depends on who leads, so nobody else may choose.
func (r *Racing) gather() (leader int) {
	switch {
	case r.views.white != nil:
		return r.gatherMany()
	case r.views.judged.Product() != nil:
		return r.gatherProduct()
	default:
		r.setField(everybody(r.views))
		return -1
	}
}

// enough returns the arms without repetition, and others if there are fewer than a question
// shows.
func (r *Racing) enough(arms []int) []int {
	arms = slices.Compact(slices.Sorted(slices.Values(arms)))
	missing := max(r.settings.K, 2) - len(arms)
	for arm := 0; missing > 0 && arm < r.catalogue.Len(); arm++ {
		if at, there := slices.BinarySearch(arms, arm); !there && !r.withdrawn(arm) {
			arms = slices.Insert(arms, at, arm)
			missing--
		}
	}
	return arms
}

// setField makes room for what is known of the arms in a field.
func (r *Racing) setField(f field) {
	r.field, r.state.Field, r.state.Rivals = f, f.arms, f.rivals
	for _, known := range []*[]float64{&r.utilities, &r.leads, &r.duelled, &r.guesses, &r.widest.Weights, &r.widest.Values} {
		if n := f.rows.Len(); cap(*known) < n {
			*known = make([]float64, n)
		} else {
			*known = (*known)[:n]
		}
	}
}
