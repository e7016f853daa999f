package racing

import (
	"slices"
	"strconv"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
	"bestpick/strategy/internal/survey"
)

// An activeSet is the set of arms that a look compares with the leader one by one, each at its place: all arms if they are few.
// Among very many arms, or the profiles of a product, it has the relevant ones.
type activeSet struct {
	arms   []int       // at each place, in increasing order; nil for all
	places map[int]int // of the arms; nil for all
	rivals []bool      // whether the arm at a place must be eliminated; nil for all
	rows   *choice.Catalogue
}

// allArms returns the active set of all arms.
func allArms(v *coordinates) activeSet { return activeSet{rows: v.arms} }

// subset returns the active set of the given arms in increasing order. The rivals among them must
// be eliminated before the leader is certified.
func subset(v *coordinates, arms, rivals []int) activeSet {
	must := make([]bool, len(arms))
	for _, rival := range rivals {
		place, _ := slices.BinarySearch(arms, rival)
		must[place] = true
	}
	return newActiveSet(v, arms, must)
}

// newActiveSet returns the active set of the given arms; nil for all.
func newActiveSet(v *coordinates, arms []int, rivals []bool) activeSet {
	if arms == nil {
		return allArms(v)
	}
	s := activeSet{arms: arms, places: make(map[int]int, len(arms)), rivals: rivals}
	ids, rows := make([]string, len(arms)), make([][]float64, len(arms))
	for place, arm := range arms {
		s.places[arm] = place
		ids[place], rows[place] = strconv.Itoa(arm), v.arms.Arm(arm)
	}
	made, err := choice.NewCatalogue(ids, v.arms.Features(), rows)
	if err != nil {
		panic("strategy: " + err.Error())
	}
	s.rows = made
	return s
}

// arm returns the arm at a place.
func (s *activeSet) arm(place int) int {
	if s.arms == nil {
		return place
	}
	return s.arms[place]
}

// place returns the place of an arm, which must be in the set.
func (s *activeSet) place(arm int) int {
	if s.arms == nil {
		return arm
	}
	place, there := s.places[arm]
	if !there {
		panic("strategy: an arm is not in the active set")
	}
	return place
}

// has reports whether an arm is in the set.
func (s *activeSet) has(arm int) bool {
	_, there := s.places[arm]
	return there || s.arms == nil
}

// isRival reports whether the arm at a place must be eliminated.
func (s *activeSet) isRival(place int) bool { return s.rivals == nil || s.rivals[place] }

// rivalCount returns the number of rivals in a set that is not of all arms.
func (s *activeSet) rivalCount() int {
	count := 0
	for _, rival := range s.rivals {
		if rival {
			count++
		}
	}
	return count
}

// padToK returns the arms sorted and without repetition. It adds arms if there are fewer than K.
func (c *problem) padToK(arms []int) []int {
	arms = slices.Compact(slices.Sorted(slices.Values(arms)))
	missing := max(c.settings.K, 2) - len(arms)
	for arm := 0; missing > 0 && arm < c.catalogue.Len(); arm++ {
		if at, there := slices.BinarySearch(arms, arm); !there && !c.isWithdrawn(arm) {
			arms = slices.Insert(arms, at, arm)
			missing--
		}
	}
	return arms
}

// An armSet has a bit for every arm.
type armSet []uint64

func newArmSet(arms int) armSet { return make(armSet, (arms+63)/64) }

func (s armSet) has(arm int) bool { return s[arm/64]>>(arm%64)&1 == 1 }

func (s armSet) add(arm int) { s[arm/64] |= 1 << (arm % 64) }

// addAll adds the members of a set of the same arms.
func (s armSet) addAll(other armSet) {
	for i, bits := range other {
		s[i] |= bits
	}
}

// leads holds the leader's leads over the arms of an active set, by one fit of θ.
type leads struct {
	activeSet
	survey.Leads

	leader int // the arm
}

// newLeads evaluates an active set at θ̂. The leader is the given arm, or the best one for [survey.OpenLeader].
func (c *problem) newLeads(set activeSet, b *evidence.Belief, leader int) leads {
	top := leader
	if leader != survey.OpenLeader {
		top = set.place(leader)
	}
	isWithdrawn := func(place int) bool { return c.isWithdrawn(set.arm(place)) }
	made := survey.NewLeads(set.rows, b, c.epsilon, top, isWithdrawn, set.isRival)
	return leads{activeSet: set, Leads: made, leader: set.arm(made.Top)}
}

// zeroEliminated sets the widths of all arms but the contenders to zero, so that they no longer
// challenge. Without contenders it changes nothing.
func (l *leads) zeroEliminated(contenders []strategy.Standing) {
	var places []int
	for _, s := range contenders {
		places = append(places, l.place(s.Arm))
	}
	l.Keep(places)
}

// unknown returns the standings of all arms that may be better, before any evidence is weighed.
func (l *leads) unknown() []strategy.Standing { return l.Unknown(l.arm) }
