package choice

// Computed describes arms whose features are computed on demand, because there are too many to
// store.
type Computed struct {
	Len      int                                // the number of arms
	Features []string                           // the names of the features
	ID       func(arm int) string               // the id of an arm
	Index    func(id string) (arm int, ok bool) // the arm with an id

	// Arm returns the features of an arm. The caller must not change them.
	Arm func(arm int) []float64

	// MeanSquares holds the mean square of every feature over the arms.
	MeanSquares []float64

	// Constants is the number of features, the last ones, that are constants of [Alternatives].
	Constants int
}

// NewComputed returns a catalogue of computed arms. It is safe for concurrent use if the functions
// of arms are.
func NewComputed(arms Computed) *Catalogue {
	if arms.Len < 2 || len(arms.Features) != len(arms.MeanSquares) {
		panic("choice: computed arms need at least two arms and a mean square for each feature")
	}
	return &Catalogue{features: arms.Features, computed: &arms}
}

// Remember returns a catalogue of computed arms with a cache of the features computed so far. It is
// not safe for concurrent use.
func Remember(c *Catalogue) *Catalogue {
	if c.computed == nil {
		panic("choice: only computed arms can be remembered")
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
