package choice

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// A shard is a run of tasks of some [Records] with the sums over them. Shards are
// worked on by several goroutines and added up in their order, and their number
// depends on the tasks alone, so that a result is the same on any machine.
type shard struct {
	first, end int // tasks

	value           float64
	least, greatest float64
	gradient        []float64
	information     []float64

	utilities []float64 // scratch, one an alternative of the largest task
	mean      []float64 // scratch, one a feature

	probabilities []float64 // of the alternatives of the stage at hand
}

const (
	minTasksPerShard = 512
	maxShards        = 64
)

// shard divides the tasks.
func (r *Records) shard() {
	tasks := r.Tasks()
	count := min(max(tasks/minTasksPerShard, 1), maxShards)
	r.shards = make([]shard, count)
	for i := range r.shards {
		r.shards[i] = r.newShard(tasks*i/count, tasks*(i+1)/count)
	}
}

func (r *Records) newShard(first, end int) shard {
	d, widest := len(r.names), 0
	for t := first; t < end; t++ {
		widest = max(widest, r.start[t+1]-r.start[t])
	}
	return shard{
		first: first, end: end,
		gradient:      make([]float64, d),
		information:   make([]float64, d*d),
		utilities:     make([]float64, widest),
		probabilities: make([]float64, widest),
		mean:          make([]float64, d),
	}
}

// each calls f once for every shard, on as many goroutines as there are cores,
// and returns when all are done.
func (r *Records) each(f func(*shard)) {
	workers := min(runtime.GOMAXPROCS(0), len(r.shards))
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; i < int64(len(r.shards)); i = next.Add(1) - 1 {
			f(&r.shards[i])
		}
	}
	var others sync.WaitGroup
	for range workers - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
}

// setUtilities computes the utilities of task t relative to its best-ranked
// alternative and returns them with the cells they come from and the largest.
func (s *shard) setUtilities(r *Records, t int, theta []float64) (utilities, cells []float64, top float64) {
	d := len(theta)
	cells = r.cells[r.start[t]*d : r.start[t+1]*d]
	utilities = s.utilities[:r.start[t+1]-r.start[t]]
	utilities[0] = 0
	for i := 1; i < len(utilities); i++ {
		u := dot(theta, cells[i*d:])
		utilities[i] = u
		top = max(top, u)
	}
	return utilities, cells, top
}

// A ranking of depth m is m picks, the i-th from the alternatives i, i+1, …, so
// every function below goes through the stages of a task and, within one, through
// a suffix of its alternatives.

func (s *shard) logLikelihood(r *Records, theta []float64) {
	var logs logSum
	value := 0.0
	for t := s.first; t < s.end; t++ {
		utilities, _, top := s.setUtilities(r, t, theta)
		for stage := range r.depth[t] {
			left := utilities[stage:]
			if stage > 0 {
				top = largest(left)
			}
			sum := 0.0
			for _, u := range left {
				sum += math.Exp(u - top)
			}
			value += left[0] - top
			logs.add(sum)
		}
	}
	s.value = value - logs.sum()
}

func (s *shard) derive(r *Records, theta []float64) {
	d := len(theta)
	clear(s.gradient)
	clear(s.information)
	for t := s.first; t < s.end; t++ {
		utilities, cells, top := s.setUtilities(r, t, theta)
		for stage := range r.depth[t] {
			left := cells[stage*d:]
			s.addScore(utilities[stage:], left, top, stage)
			for i, p := range s.probabilities {
				addOuter(s.information, p, left[i*d:(i+1)*d])
			}
			addOuter(s.information, -1, s.mean)
		}
	}
}

// score sets the gradient of task t alone.
func (s *shard) score(r *Records, t int, theta []float64) {
	clear(s.gradient)
	utilities, cells, top := s.setUtilities(r, t, theta)
	for stage := range r.depth[t] {
		s.addScore(utilities[stage:], cells[stage*len(theta):], top, stage)
	}
}

// addScore adds x_0 − x̄ to the gradient, for a pick of the first of the
// alternatives left at a stage, and sets their probabilities and x̄. At stage 0 the
// first alternative is the reference: x_0 = 0, and top is the largest utility.
func (s *shard) addScore(utilities, cells []float64, top float64, stage int) {
	if stage > 0 {
		top = largest(utilities)
		addScaled(s.gradient, 1, cells)
	}
	s.probabilities = s.probabilities[:len(utilities)]
	p := s.probabilities
	sum := 0.0
	for i, u := range utilities {
		p[i] = math.Exp(u - top)
		sum += p[i]
	}
	d := len(s.mean)
	clear(s.mean)
	for i := range p {
		p[i] /= sum
		addScaled(s.mean, p[i], cells[i*d:(i+1)*d])
	}
	addScaled(s.gradient, -1, s.mean)
}

func (s *shard) margins(r *Records, v []float64) {
	s.least, s.greatest = math.Inf(1), math.Inf(-1)
	for t := s.first; t < s.end; t++ {
		utilities, _, _ := s.setUtilities(r, t, v)
		for stage := range r.depth[t] {
			for _, u := range utilities[stage+1:] {
				s.least = min(s.least, utilities[stage]-u)
				s.greatest = max(s.greatest, utilities[stage]-u)
			}
		}
	}
}

// logSum adds up logarithms of numbers ≥ 1 by multiplying them for as long as the
// product fits, which saves most of the logarithms.
type logSum struct{ product, total float64 }

func (l *logSum) add(x float64) {
	if l.product == 0 {
		l.product = 1
	}
	l.product *= x
	if l.product > 1e280 {
		l.total += math.Log(l.product)
		l.product = 1
	}
}

func (l *logSum) sum() float64 {
	if l.product == 0 {
		return 0
	}
	return l.total + math.Log(l.product)
}
