package racing

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
