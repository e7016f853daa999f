package choice

// Computed are arms whose features are made when they are asked for, because there are too
// many to keep.
type Computed struct {
	Len      int
	Features []string
	ID       func(arm int) string
	Index    func(id string) (arm int, ok bool)

	// Arm returns the features of an arm. The caller must not change them.
	Arm func(arm int) []float64

	// MeanSquares are those of the features over the arms.
	MeanSquares []float64
}

// NewComputed returns a catalogue of such arms. Its methods may be called from several
// goroutines at once if the functions may be.
func NewComputed(arms Computed) *Catalogue {
	if arms.Len < 2 || len(arms.Features) != len(arms.MeanSquares) {
		panic("choice: computed arms need at least two arms and a mean square for each feature")
	}
	return &Catalogue{features: arms.Features, computed: &arms}
}

// Remember returns a catalogue of computed arms that keeps the features it was asked for.
// It serves one goroutine at a time.
func Remember(c *Catalogue) *Catalogue {
	if c.computed == nil {
		panic("choice: there is nothing to remember")
	}
	arms := *c.computed
	kept := map[int][]float64{}
	arms.Arm = func(arm int) []float64 {
		row, known := kept[arm]
		if !known {
			row = c.computed.Arm(arm)
			kept[arm] = row
		}
		return row
	}
	return &Catalogue{features: c.features, computed: &arms, product: c.product}
}
