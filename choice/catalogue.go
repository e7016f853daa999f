package choice

import (
	"fmt"
	"math"
)

// A Catalogue is the set of arms under study: N arms with d features each, in one
// contiguous N×d matrix, row by row. It never changes once made.
type Catalogue struct {
	ids      []string
	features []string
	index    map[string]int
	cells    []float64
}

// A CatalogueError says what is wrong with the arms given to [NewCatalogue] and
// where. Arm and Feature count from zero and are -1 where the problem has none.
type CatalogueError struct {
	Arm, Feature int
	Problem      string
}

func (e *CatalogueError) Error() string { return "catalogue: " + e.Problem }

// NewCatalogue makes a catalogue from one id and one row of features for each
// arm. It refuses, with a [*CatalogueError], fewer than two arms, no features,
// ragged rows, repeated or empty names, and values that are not finite.
func NewCatalogue(ids, features []string, rows [][]float64) (*Catalogue, error) {
	if len(ids) != len(rows) {
		return nil, &CatalogueError{-1, -1, fmt.Sprintf("%d ids for %d rows of features", len(ids), len(rows))}
	}
	if len(rows) < 2 {
		return nil, &CatalogueError{-1, -1, fmt.Sprintf("at least two arms are needed, there are %d", len(rows))}
	}
	if len(features) == 0 {
		return nil, &CatalogueError{-1, -1, "the arms have no features"}
	}
	if err := checkFeatureNames(features); err != nil {
		return nil, err
	}
	c := &Catalogue{
		ids:      append([]string(nil), ids...),
		features: append([]string(nil), features...),
		index:    make(map[string]int, len(ids)),
		cells:    make([]float64, 0, len(rows)*len(features)),
	}
	for i, row := range rows {
		if ids[i] == "" {
			return nil, &CatalogueError{i, -1, fmt.Sprintf("arm %d has an empty id", i+1)}
		}
		if first, seen := c.index[ids[i]]; seen {
			return nil, &CatalogueError{i, -1, fmt.Sprintf("arm %d has the id %q of arm %d", i+1, ids[i], first+1)}
		}
		c.index[ids[i]] = i
		if len(row) != len(features) {
			return nil, &CatalogueError{i, -1, fmt.Sprintf("arm %d (%q) has %d values for %d features", i+1, ids[i], len(row), len(features))}
		}
		for k, x := range row {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, &CatalogueError{i, k, fmt.Sprintf("arm %d (%q), feature %q: %v is not a finite number", i+1, ids[i], features[k], x)}
			}
		}
		c.cells = append(c.cells, row...)
	}
	return c, nil
}

func checkFeatureNames(features []string) error {
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

// Len returns N, the number of arms.
func (c *Catalogue) Len() int { return len(c.ids) }

// Dim returns d, the number of features.
func (c *Catalogue) Dim() int { return len(c.features) }

// ID returns the id of arm i.
func (c *Catalogue) ID(i int) string { return c.ids[i] }

// Index returns the number of the arm with the given id.
func (c *Catalogue) Index(id string) (arm int, ok bool) {
	arm, ok = c.index[id]
	return arm, ok
}

// Features returns the names of the features. The caller must not change them.
func (c *Catalogue) Features() []string { return c.features }

// Arm returns the features of arm i. The caller must not change them.
func (c *Catalogue) Arm(i int) []float64 {
	d := c.Dim()
	return c.cells[i*d : (i+1)*d : (i+1)*d]
}

// Utility returns a_i'θ.
func (c *Catalogue) Utility(i int, theta []float64) float64 {
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
