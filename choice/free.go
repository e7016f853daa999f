package choice

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Free is the [Likelihood] of a tally of answers about arms without features, with one utility per
// arm. For pairs it is the Bradley–Terry model, for larger questions and rankings Plackett–Luce.
//
// Softmax is invariant under a common shift of all utilities, so Free constrains them to sum to zero. The gradient is orthogonal
// to that shift. Adding c·11' makes the information invertible and changes no step of an estimator that starts from utilities
// with sum zero. The covariance is projected back.
type Free struct {
	armSpace

	ids []string
}

// NewFree returns the likelihood of the answers in tally about the arms with the given ids.
func NewFree(ids []string, tally *Tally) *Free {
	if tally.Arms() != len(ids) {
		panic("choice: the tally must have as many arms as there are ids")
	}
	f := &Free{armSpace{tally: tally}, ids}
	f.parameters = f
	return f
}

// Names returns the ids of the arms.
func (f *Free) Names() []string { return f.ids }

// derive sets the gradient with respect to the utilities and the information about them, plus
// c·11', where c is the number of picks divided by the squared number of arms.
func (f *Free) derive(gradient []float64, information *mat.SymDense) {
	f.setLaplacian()
	n, m, seen := len(f.ids), len(f.utilities), f.tally.seen
	h := cells(information, n)
	pin := f.Picks() / float64(n*n)
	for i := range h {
		h[i] = pin
	}
	f.setGradient(gradient)
	for i, arm := range seen {
		for j, w := range f.laplacian[i*m : (i+1)*m] {
			h[arm*n+seen[j]] += w
		}
	}
}

func (f *Free) setGradient(gradient []float64) {
	clear(gradient)
	for i, arm := range f.tally.seen {
		gradient[arm] = f.residual[i]
	}
}

// Margins returns the range of (v_y − v_j)/(|v_y| + |v_j|) over picks y and the others j.
func (f *Free) Margins(v []float64) (least, greatest float64) {
	return f.margins(func(pick, other int) float64 {
		if v[pick] == v[other] {
			return 0
		}
		return (v[pick] - v[other]) / (math.Abs(v[pick]) + math.Abs(v[other]))
	})
}

func (f *Free) setUtilities(utilities []float64) {
	if len(utilities) != len(f.ids) {
		panic("choice: there must be one utility for each arm")
	}
	f.resize()
	for i, arm := range f.tally.seen {
		f.utilities[i] = utilities[arm]
	}
}

// project turns the inverse of the information into the covariance of utilities that sum to zero, CΣC with C = I − 11'/n.
func (f *Free) project(covariance *mat.SymDense) {
	n := len(f.ids)
	means := make([]float64, n)
	for i := range n {
		for j := range n {
			means[i] += covariance.At(i, j) / float64(n)
		}
	}
	grand := 0.0
	for _, mean := range means {
		grand += mean / float64(n)
	}
	for i := range n {
		for j := i; j < n; j++ {
			covariance.SetSym(i, j, covariance.At(i, j)-means[i]-means[j]+grand)
		}
	}
}

// separatingDirection returns a direction that separates the picks, or nil if there is none. There is none if and only if every
// arm can be reached from every other along "was picked over" (Ford 1957). If an arm cannot be reached from the first, no
// reachable arm beats it. If the first cannot be reached from an arm, that arm beats none from which it can.
func (f *Free) separatingDirection() []float64 {
	beats, beatenBy := make([][]int, len(f.ids)), make([][]int, len(f.ids))
	for arms, wins := range f.tally.Questions() {
		for i, pick := range arms {
			for _, other := range arms {
				if wins[i] > 0 && other != pick {
					beats[pick] = append(beats[pick], other)
					beatenBy[other] = append(beatenBy[other], pick)
				}
			}
		}
	}
	direction := make([]float64, len(f.ids))
	below, above := reachable(beats), reachable(beatenBy)
	for arm := range direction {
		switch {
		case slices.Contains(below, false):
			if !below[arm] {
				direction[arm] = 1
			}
		case slices.Contains(above, false):
			if above[arm] {
				direction[arm] = 1
			}
		default:
			return nil
		}
	}
	return direction
}

// reachable reports for each node whether it can be reached from the first along the edges.
func reachable(edges [][]int) []bool {
	reached := make([]bool, len(edges))
	reached[0] = true
	for next := []int{0}; len(next) > 0; {
		node := next[len(next)-1]
		next = next[:len(next)-1]
		for _, to := range edges[node] {
			if !reached[to] {
				reached[to] = true
				next = append(next, to)
			}
		}
	}
	return reached
}

// Groups returns the connected components of the arms, where two arms in one question are
// connected, the largest component first. Utilities of arms in different groups cannot be compared.
func (f *Free) Groups() [][]int {
	parent := UpTo(len(f.ids))
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for arms := range f.tally.Questions() {
		first := root(arms[0])
		for _, arm := range arms[1:] {
			parent[root(arm)] = first
		}
	}
	members := make(map[int][]int)
	for i := range parent {
		members[root(i)] = append(members[root(i)], i)
	}
	groups := make([][]int, 0, len(members))
	for _, group := range members {
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b []int) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return a[0] - b[0]
	})
	return groups
}
