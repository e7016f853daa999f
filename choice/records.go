package choice

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Records is the [Likelihood] of recorded choices: tasks whose alternatives each have their own
// features, as in a survey or a log of purchases. It stores each alternative as its difference from
// the best-ranked alternative of its task, which then has utility zero and is not stored.
type Records struct {
	names []string
	cells []float64 // rows of features: the alternatives but the best-ranked
	start []int     // task t has rows start[t] to start[t+1]
	depth []int     // how many alternatives were ranked; 1 for a plain pick

	weights []float64 // of the tasks; nil if each has the weight 1

	picks  float64
	ranges []float64 // for each feature, its widest range in any task
	shards []shard
}

// A TaskProblem describes a defect of a recorded task.
type TaskProblem string

// The problems for which [NewRecords] rejects a task.
const (
	TooFewAlternatives TaskProblem = "has fewer than two alternatives"
	NoPick             TaskProblem = "has no pick"
	TiedRanks          TaskProblem = "has two alternatives of the same rank"
	RankGap            TaskProblem = "skips a rank"
	NotFinite          TaskProblem = "has features that are not finite, or too far apart"
)

// A TaskError reports an invalid task given to [NewRecords]. Task and Row count from zero; Row is
// the alternative to blame, counted over all tasks.
type TaskError struct {
	Task, Row int
	Problem   TaskProblem
}

// Error names the task, counted from one, and its problem.
func (e *TaskError) Error() string {
	return fmt.Sprintf("task %d %s", e.Task+1, e.Problem)
}

// NewRecords makes records of len(sizes) tasks. The alternatives are in cells, task by task,
// sizes[t] of them for task t, each with one cell for each name. ranks has one entry per
// alternative: 1 for the pick, 2 for the second best if a ranking continues, and 0 for the rest.
//
// NewRecords keeps cells and rearranges them; the caller must not use them again. It returns a
// [*TaskError] for a task with fewer than two alternatives, without a pick, with a tie or a gap in
// its ranks, or with features that are not finite.
func NewRecords(names []string, cells []float64, sizes, ranks []int) (*Records, error) {
	d := len(names)
	if d == 0 {
		panic("choice: records must have at least one feature")
	}
	if len(cells) != d*len(ranks) {
		panic("choice: there must be one cell for each alternative and name")
	}
	r := &Records{
		names: names,
		cells: cells[:0],

		ranges: make([]float64, d),
		start:  make([]int, 1, len(sizes)+1),
		depth:  make([]int, 0, len(sizes)),
	}
	var order []int
	first := 0
	for t, size := range sizes {
		var problem *TaskError
		if order, problem = rankOrder(order, ranks[first:first+size]); problem != nil {
			problem.Task = t
			problem.Row += first
			return nil, problem
		}
		if row := farthest(cells[first*d:(first+size)*d], d, order[0]); row >= 0 {
			return nil, &TaskError{Task: t, Row: first + row, Problem: NotFinite}
		}
		r.arrange(cells, first, size, order)
		depth := min(len(order), size-1) // the last of a full ranking is not a choice
		r.start = append(r.start, r.start[t]+size-1)
		r.depth = append(r.depth, depth)
		r.picks += float64(depth)
		first += size
	}
	if first != len(ranks) {
		panic("choice: the sizes of the tasks must sum to the number of alternatives")
	}
	r.shard()
	return r, nil
}

// rankOrder returns the alternatives of one task that were ranked, best first.
func rankOrder(order, ranks []int) ([]int, *TaskError) {
	if len(ranks) < 2 {
		return nil, &TaskError{Problem: TooFewAlternatives}
	}
	order = order[:0]
	for i, rank := range ranks {
		if rank < 0 || rank > len(ranks) {
			return nil, &TaskError{Row: i, Problem: RankGap}
		}
		for len(order) < rank {
			order = append(order, -1)
		}
		if rank > 0 {
			if order[rank-1] >= 0 {
				return nil, &TaskError{Row: i, Problem: TiedRanks}
			}
			order[rank-1] = i
		}
	}
	if len(order) == 0 {
		return nil, &TaskError{Problem: NoPick}
	}
	for rank, i := range order {
		if i < 0 {
			next := rank + 1
			for order[next] < 0 {
				next++
			}
			return nil, &TaskError{Row: order[next], Problem: RankGap}
		}
	}
	return order, nil
}

// farthest returns the first of some rows whose difference from the best is not finite, or -1.
func farthest(rows []float64, d, best int) int {
	for at, x := range rows {
		if difference := x - rows[best*d+at%d]; difference-difference != 0 {
			return at / d
		}
	}
	return -1
}

// arrange adds the alternatives of a task, which are size rows of source from first on. It
// subtracts the best-ranked alternative from the others and appends these to cells, the ranked ones
// first. cells never overtakes source, so both may share memory.
func (r *Records) arrange(source []float64, first, size int, order []int) {
	d := len(r.names)
	row := func(i int) []float64 { return source[(first+i)*d : (first+i+1)*d] }
	for to, from := range order { // swap the ranked to the front
		for k := range d {
			row(to)[k], row(from)[k] = row(from)[k], row(to)[k]
		}
		for later := to + 1; later < len(order); later++ {
			if order[later] == to {
				order[later] = from
			}
		}
	}
	for i := 1; i < size; i++ {
		addScaled(row(i), -1, row(0))
	}
	for k := range d {
		low, high := 0.0, 0.0 // of the best-ranked itself
		for i := 1; i < size; i++ {
			low, high = min(low, row(i)[k]), max(high, row(i)[k])
		}
		r.ranges[k] = max(r.ranges[k], high-low)
	}
	r.cells = append(r.cells, source[(first+1)*d:(first+size)*d]...)
}

// Names returns the names of the features.
func (r *Records) Names() []string { return r.names }

// Picks returns the total weight of the picks: one per task, or the number of ranks, times the
// weight of the task.
func (r *Records) Picks() float64 { return r.picks }

// Tasks returns the number of tasks.
func (r *Records) Tasks() int { return len(r.depth) }

// Alternatives returns the number of alternatives in all tasks.
func (r *Records) Alternatives() int { return r.start[len(r.depth)] + len(r.depth) }

// NullLogLikelihood returns −Σ w·log K over all picks, w being the weight of the task and K falling
// by one with every further rank.
func (r *Records) NullLogLikelihood() float64 {
	sum := 0.0
	for t, depth := range r.depth {
		size := r.start[t+1] - r.start[t] + 1
		for stage := range depth {
			sum -= r.weight(t) * math.Log(float64(size-stage))
		}
	}
	return sum
}

// LogLikelihood returns ℓ(θ).
func (r *Records) LogLikelihood(theta []float64) float64 {
	r.checkLength(theta)
	r.each(func(s *shard) { s.evaluate(r, theta, true, false) })
	return r.sumValues()
}

// Derivatives sets the gradient and the information at θ.
func (r *Records) Derivatives(theta, gradient []float64, information *mat.SymDense) {
	r.differentiate(theta, gradient, information, false)
}

// Evaluate returns ℓ(θ) and sets its derivatives.
func (r *Records) Evaluate(theta, gradient []float64, information *mat.SymDense) float64 {
	r.differentiate(theta, gradient, information, true)
	return r.sumValues()
}

// differentiate sets the derivatives, and the values of the shards if they are wanted.
func (r *Records) differentiate(theta, gradient []float64, information *mat.SymDense, values bool) {
	r.checkLength(theta)
	r.each(func(s *shard) { s.evaluate(r, theta, values, true) })
	d := len(gradient)
	h := cells(information, d)
	clear(h)
	clear(gradient)
	for i := range r.shards {
		addScaled(gradient, 1, r.shards[i].gradient)
		packed := r.shards[i].information
		for k := range d {
			addScaled(h[k*d+k:(k+1)*d], 1, packed[:d-k])
			packed = packed[d-k:]
		}
	}
}

func (r *Records) sumValues() float64 {
	sum := 0.0
	for i := range r.shards {
		sum += r.shards[i].value
	}
	return sum
}

// Spread returns Σ_k |v_k| times the widest range of feature k in any task.
func (r *Records) Spread(v []float64) float64 {
	r.checkLength(v)
	spread := 0.0
	for k, x := range v {
		spread += math.Abs(x) * r.ranges[k]
	}
	return spread
}

// Margins returns the range of the relative margins of the picks along v.
func (r *Records) Margins(v []float64) (least, greatest float64) {
	r.checkLength(v)
	r.each(func(s *shard) { s.margins(r, v) })
	least, greatest = math.Inf(1), math.Inf(-1)
	for i := range r.shards {
		least = min(least, r.shards[i].least)
		greatest = max(greatest, r.shards[i].greatest)
	}
	return least, greatest
}

func (r *Records) checkLength(theta []float64) {
	if len(theta) != len(r.names) {
		panic("choice: θ must have one entry for each feature")
	}
}
