// Package choice implements the linear multinomial logit model, on which the rest of bestpick
// builds: respondents pick one of the few options shown, and each option's utility is linear in its
// features.
//
// An arm with features a ∈ ℝᵈ has utility a'θ. Shown a question of K arms x_1 … x_K, a respondent
// picks the i-th with the softmax probability
//
//	μ_i(θ) = exp(x_i'θ) / Σ_j exp(x_j'θ)
//
// (equation 2 of "Pure Exploration with Structured Preference Feedback"). [Catalogue], [Question]
// and [Answer] represent the arms, the K arms shown and the picks. [Tally] holds the sufficient
// statistics of many answers. [Estimator] finds the maximum-likelihood estimate of θ and its
// standard errors:
//
//	tally := choice.NewTally(arms.Len())
//	err := tally.Add(choice.Answer{Question: choice.Question{0, 2, 3}, Picks: []int{1}})
//	…
//	var estimator choice.Estimator
//	estimate, err := estimator.Estimate(choice.NewLinear(arms, tally))
//
// An Estimator maximises a [Likelihood]. There are three:
//
//   - [Linear]: a tally of answers about the arms of a catalogue;
//   - [Free]: a tally of answers about arms without features, one utility for each arm
//     (Bradley–Terry for pairs, Plackett–Luce for more);
//   - [Records]: recorded choices whose alternatives change from task to task.
//
// If the data do not identify θ, the estimator returns a typed error that names the parameters:
// [ConstantError], [CollinearError], [SeparationError] or [ScaleError].
//
// The package reads no clock, does no input or output and keeps no global state.
package choice

import (
	"fmt"
	"hash/maphash"
	"math"
)

// A Catalogue is the set of arms under study: N arms with d features each. It is immutable and safe
// for concurrent use, except where [Remember] says otherwise.
//
// The features are one contiguous N×d matrix in row-major order, of 64-bit numbers ([NewCatalogue])
// or, for very many arms, of 32-bit numbers ([NewDense]). Catalogues of
// [NewProduct] compute the features of an arm on demand.
type Catalogue struct {
	features []string
	ids      []string
	index    idIndex
	cells    []float64
	narrow   []float32
	computed *computedArms
	product  *Product
}

// A CatalogueError reports invalid arms. Arm and Feature count from zero; they are -1 if the
// problem does not concern one arm or one feature.
type CatalogueError struct {
	Arm, Feature int
	Problem      string
}

// Error returns the problem in one line.
func (e *CatalogueError) Error() string { return "catalogue: " + e.Problem }

// NewCatalogue makes a catalogue from one id and one row of features for each arm. It returns a
// [*CatalogueError] for fewer than two arms, no features, ragged rows, repeated or empty names, and
// values that are not finite.
func NewCatalogue(ids, features []string, rows [][]float64) (*Catalogue, error) {
	if len(ids) != len(rows) {
		return nil, &CatalogueError{-1, -1, fmt.Sprintf("%d ids for %d rows of features", len(ids), len(rows))}
	}
	if len(rows) < 2 {
		return nil, &CatalogueError{-1, -1, fmt.Sprintf("there must be at least two arms, got %d", len(rows))}
	}
	if err := checkFeatureNames(features); err != nil {
		return nil, err
	}
	c := &Catalogue{
		features: append([]string(nil), features...),
		cells:    make([]float64, 0, len(rows)*len(features)),
	}
	if err := c.name(append([]string(nil), ids...)); err != nil {
		return nil, err
	}
	for i, row := range rows {
		if len(row) != len(features) {
			return nil, &CatalogueError{i, -1, fmt.Sprintf("arm %d (%q) has %d values for %d features", i+1, ids[i], len(row),
				len(features))}
		}
		for k, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, &CatalogueError{i, k, fmt.Sprintf("arm %d (%q), feature %q: %v is not a finite number", i+1, ids[i],
					features[k], x)}
			}
		}
		c.cells = append(c.cells, row...)
	}
	return c, nil
}

func checkFeatureNames(features []string) error {
	if len(features) == 0 {
		return &CatalogueError{-1, -1, "the arms must have at least one feature"}
	}
	seen := make(map[string]bool, len(features))
	for k, name := range features {
		if name == "" {
			return &CatalogueError{-1, k, fmt.Sprintf("feature %d has an empty name", k+1)}
		}
		if seen[name] {
			return &CatalogueError{-1, k, fmt.Sprintf("two features are called %q", name)}
		}
		seen[name] = true
	}
	return nil
}

// name sets the ids of the arms, which must not be empty or repeat.
func (c *Catalogue) name(ids []string) error {
	for i, id := range ids {
		if id == "" {
			return &CatalogueError{i, -1, fmt.Sprintf("arm %d has an empty id", i+1)}
		}
	}
	index, first, repeated := newIDIndex(ids)
	if first != repeated {
		return &CatalogueError{repeated, -1, fmt.Sprintf("arm %d has the id %q of arm %d", repeated+1, ids[repeated], first+1)}
	}
	c.ids, c.index = ids, index
	return nil
}

// nameLike gives the arms the ids of another catalogue's arms.
func (c *Catalogue) nameLike(other *Catalogue) error {
	if other.computed == nil {
		c.ids, c.index = other.ids, other.index
		return nil
	}
	ids := make([]string, other.Len())
	for i := range ids {
		ids[i] = other.ID(i)
	}
	return c.name(ids)
}

// Len returns N, the number of arms.
func (c *Catalogue) Len() int {
	if c.computed != nil {
		return c.computed.Len
	}
	return len(c.ids)
}

// Dim returns d, the number of features.
func (c *Catalogue) Dim() int { return len(c.features) }

// ID returns the id of arm i.
func (c *Catalogue) ID(i int) string {
	if c.computed != nil {
		return c.computed.ID(i)
	}
	return c.ids[i]
}

// Index returns the number of the arm with the given id, and whether there is one.
func (c *Catalogue) Index(id string) (arm int, ok bool) {
	if c.computed != nil {
		return c.computed.Index(id)
	}
	arm, ok = c.index.find(id)
	return arm, ok && arm < len(c.ids)
}

// First returns the catalogue of the first n ≥ 2 arms, which shares this catalogue's memory: ids
// and features are identical. It reconstructs the catalogue of a study before arms were added.
// Computed arms cannot be added to, so for them n must be Len.
func (c *Catalogue) First(n int) *Catalogue {
	switch {
	case n < 2 || n > c.Len():
		panic(fmt.Sprintf("choice: cannot take the first %d of %d arms", n, c.Len()))
	case n == c.Len():
		return c
	case c.computed != nil:
		panic(fmt.Sprintf("choice: cannot take the first %d of %d computed arms", n, c.Len()))
	}
	first := *c
	first.ids = c.ids[:n:n]
	if size := n * c.Dim(); c.narrow != nil {
		first.narrow = c.narrow[:size:size]
	} else {
		first.cells = c.cells[:size:size]
	}
	return &first
}

// Features returns the names of the features. The caller must not change them.
func (c *Catalogue) Features() []string { return c.features }

// Arm returns the features of arm i. The caller must not change them.
func (c *Catalogue) Arm(i int) []float64 {
	if c.cells == nil {
		return c.otherArm(i)
	}
	d := len(c.features)
	return c.cells[i*d : (i+1)*d : (i+1)*d]
}

// otherArm returns the features of arm i if they are not stored as 64-bit numbers.
func (c *Catalogue) otherArm(i int) []float64 {
	if c.computed != nil {
		return c.computed.Arm(i)
	}
	d := c.Dim()
	arm := make([]float64, d)
	for k, x := range c.narrow[i*d : (i+1)*d] {
		arm[k] = float64(x)
	}
	return arm
}

// Utility returns the utility a_i'θ of arm i.
func (c *Catalogue) Utility(i int, theta []float64) float64 {
	if c.narrow != nil {
		d := c.Dim()
		return dotNarrow(c.narrow[i*d:(i+1)*d], theta)
	}
	return dot(c.Arm(i), theta)
}

// Utilities sets dst to the utilities of the arms of q, in the order shown, and
// returns it. It grows dst where needed.
func (c *Catalogue) Utilities(dst []float64, q Question, theta []float64) []float64 {
	dst = dst[:0]
	for _, arm := range q {
		dst = append(dst, c.Utility(arm, theta))
	}
	return dst
}

// Constants returns the number of features, the last ones, that are constants of [Alternatives].
func (c *Catalogue) Constants() int {
	if c.computed == nil {
		return 0
	}
	return c.computed.Constants
}

// MeanSquares returns the mean square of every feature over the arms.
func (c *Catalogue) MeanSquares() []float64 {
	if c.computed != nil {
		return c.computed.MeanSquares
	}
	squares := make([]float64, c.Dim())
	for i := range c.Len() {
		for k, x := range c.Arm(i) {
			squares[k] += x * x / float64(c.Len())
		}
	}
	return squares
}

// NewNames makes a catalogue of arms without features, each with a utility of its own. The arms have
// indicators instead of features, one for each arm but the first. An answer then says nothing about
// arms that it does not show, so that a study takes more answers than with useful features. NewNames
// returns an error where [NewCatalogue] does.
func NewNames(ids []string) (*Catalogue, error) {
	features, rows := make([]string, 0, len(ids)), make([][]float64, len(ids))
	for i := range ids {
		rows[i] = make([]float64, max(0, len(ids)-1))
		if i > 0 {
			features = append(features, ids[i])
			rows[i][i-1] = 1
		}
	}
	return NewCatalogue(ids, features, rows)
}

// computedArms describes arms whose features are computed on demand, because there are too many to
// store.
type computedArms struct {
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

// newComputed returns a catalogue of computed arms. It is safe for concurrent use if the functions
// of arms are.
func newComputed(arms computedArms) *Catalogue {
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

// An idIndex finds arms by their ids. It is a hash table of arm numbers with open addressing: for a
// million arms it takes 8 MB, a tenth of the memory of a map.
type idIndex struct {
	ids   []string // ids of all arms
	seed  maphash.Seed
	slots []int32 // arm number plus one; 0 if empty
}

// newIDIndex indexes ids. If an id repeats, it returns the two arms with that id; otherwise first
// equals repeated.
func newIDIndex(ids []string) (x idIndex, first, repeated int) {
	size := 4
	for size < 2*len(ids) {
		size *= 2
	}
	x = idIndex{ids, maphash.MakeSeed(), make([]int32, size)}
	for arm, id := range ids {
		at := x.slot(id)
		if x.slots[at] != 0 {
			return x, int(x.slots[at]) - 1, arm
		}
		x.slots[at] = int32(arm + 1)
	}
	return x, 0, 0
}

// Repeats reports whether any id occurs twice.
func Repeats(ids []string) bool {
	_, first, repeated := newIDIndex(ids)
	return first != repeated
}

// slot returns the slot of the arm with an id, or the slot in which to insert it.
func (x idIndex) slot(id string) uint64 {
	last := uint64(len(x.slots) - 1)
	at := maphash.String(x.seed, id) & last
	for x.slots[at] != 0 && x.ids[x.slots[at]-1] != id {
		at = (at + 1) & last
	}
	return at
}

// find returns the arm with an id, and whether there is one.
func (x idIndex) find(id string) (arm int, ok bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	at := x.slots[x.slot(id)]
	return int(at) - 1, at != 0
}
