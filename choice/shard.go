package choice

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// A shard is a range of tasks of some [Records] with the sums over them. Goroutines evaluate shards
// concurrently, and the results are added in the order of the shards. The number of shards depends
// on the tasks alone, so that a result is the same on any machine.
type shard struct {
	first, end int // tasks

	value           float64
	logs            logSum
	least, greatest float64
	gradient        []float64
	information     []float64 // the upper triangle, packed

	// Scratch for a block of tasks: for each alternative its utility, its
	// exponential, and its probability summed over the stages of its task; for
	// each stage the mean features.
	utilities []float64
	exps      []float64
	weights   []float64
	means     []float64
	minus     []float64 // −w for each stage, w the weight of its task

	_ [64]byte // keeps the next shard off this shard's cache line
}

const (
	minTasksPerShard = 512
	maxShards        = 64

	// blockTasks is the number of tasks processed together, small enough that their data stay in
	// the cache.
	blockTasks = 64

	// plainExpLimit is the largest utility that needs no shift before its
	// exponential is taken: products of such sums do not overflow in logSum.
	plainExpLimit = 100
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
	rows, stages := 0, 0 // largest numbers of any block
	for t := first; t < end; t += blockTasks {
		last := min(t+blockTasks, end)
		rows = max(rows, r.start[last]-r.start[t])
		inBlock := 0
		for _, depth := range r.depth[t:last] {
			inBlock += depth
		}
		stages = max(stages, inBlock)
	}
	// One allocation with a margin, so that no two shards share a cache line.
	const margin = 8
	d := len(r.names)
	memory := make([]float64, d+d*(d+1)/2+3*rows+stages*(d+1)+2*margin)[margin:]
	take := func(n int) []float64 {
		taken := memory[:n:n]
		memory = memory[n:]
		return taken
	}
	return shard{
		first: first, end: end,
		gradient:    take(d),
		information: take(d * (d + 1) / 2),
		utilities:   take(rows),
		exps:        take(rows),
		weights:     take(rows),
		means:       take(stages * d),
		minus:       take(stages),
	}
}

// each calls f once for every shard, on one goroutine per core, and returns when all are done.
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

// A task stores, as differences from the best-ranked alternative, the alternatives that it was
// preferred to, the other ranked ones first. A ranking of depth m is m picks: at stage 0 the
// best-ranked, whose utility and features are zero, out of all; at stage i > 0 row i−1, out of the
// rows from there on.

// left returns the first row still available at a stage.
func left(stage int) int { return max(stage-1, 0) }

// setUtilities sets the utilities of the tasks from t to last and returns their
// features.
func (s *shard) setUtilities(r *Records, t, last int, theta []float64) (features []float64) {
	d := len(theta)
	features = r.cells[r.start[t]*d : r.start[last]*d]
	for i := range s.utilities[:r.start[last]-r.start[t]] {
		s.utilities[i] = dot(theta, features[i*d:(i+1)*d])
	}
	return features
}

// exponentials sets exps to exp(utilities − shift) and returns the shift and their sum, which at
// stage 0 includes the pick itself.
func exponentials(exps, utilities []float64, stage int) (sum, shift float64) {
	shift = utilities[0]
	for _, u := range utilities[1:] {
		if u > shift {
			shift = u
		}
	}
	if stage == 0 {
		sum = 1
		if shift < plainExpLimit {
			shift = 0
		} else {
			sum = exp(-shift)
		}
	}
	for i, u := range utilities {
		e := exp(u - shift)
		exps[i] = e
		sum += e
	}
	return sum, shift
}

// evaluate sets the value if it is wanted: the sum of u_pick − log Σ_i exp(u_i) over the stages of
// all tasks. If derivatives are wanted, it sets the gradient, the sum of x_pick − x̄, and the
// information, the sum of Σ_i p_i·x_i·x_i' − x̄x̄'. The terms of a task are multiplied by its weight.
func (s *shard) evaluate(r *Records, theta []float64, value, derivatives bool) {
	s.value, s.logs = 0, logSum{}
	clear(s.gradient)
	clear(s.information)
	for t := s.first; t < s.end; t += blockTasks {
		last := min(t+blockTasks, s.end)
		features := s.setUtilities(r, t, last, theta)
		stages := s.addStages(r, t, last, features, value, derivatives)
		if derivatives {
			addWeightedGram(s.information, s.weights, features, len(theta))
			addWeightedGram(s.information, s.minus, s.means[:stages*len(theta)], len(theta))
		}
	}
	s.value -= s.logs.sum()
}

// addStages adds the tasks from t to last to the value if it is wanted; without weights, the
// logarithms are added at the end. If derivatives are wanted, it adds to the gradient and sets the
// weights and means. It returns the number of stages.
func (s *shard) addStages(r *Records, t, last int, features []float64, value, derivatives bool) (stages int) {
	d := len(s.gradient)
	base := r.start[t]
	clear(s.weights[:r.start[last]-base])
	for ; t < last; t++ {
		end := r.start[t+1] - base
		weight := r.weight(t)
		for stage := range r.depth[t] {
			first := r.start[t] - base + left(stage)
			exps := s.exps[first:end]
			sum, shift := exponentials(exps, s.utilities[first:end], stage)
			if value {
				s.addValue(r, sum, shift, weight)
				if stage > 0 {
					s.value += weight * s.utilities[first]
				}
			}
			if derivatives {
				s.minus[stages] = -weight
				s.addScore(s.means[stages*d:(stages+1)*d], s.weights[first:end], exps, features[first*d:end*d], 1/sum, weight, stage)
			}
			stages++
		}
	}
	return stages
}

// addValue subtracts the logarithm of a sum of exponentials, less their shift, from the value.
func (s *shard) addValue(r *Records, sum, shift, weight float64) {
	if r.weights == nil {
		s.logs.add(sum)
		s.value -= shift
		return
	}
	s.value -= weight * (shift + math.Log(sum))
}

// addScore adds x_pick − x̄ of one stage, times the weight of its task, to the gradient, sets its
// mean x̄ and adds its weighted probabilities to the weights.
func (s *shard) addScore(mean, weights, exps, features []float64, inverse, weight float64, stage int) {
	d := len(mean)
	if stage > 0 {
		addScaled(s.gradient, weight, features[:d])
	}
	clear(mean)
	for i, e := range exps {
		p := e * inverse
		weights[i] += weight * p
		addScaled(mean, p, features[i*d:(i+1)*d])
	}
	addScaled(s.gradient, -weight, mean)
}

// score sets the gradient of task t alone.
func (s *shard) score(r *Records, t int, theta []float64) {
	clear(s.gradient)
	s.logs = logSum{}
	features := s.setUtilities(r, t, t+1, theta)
	s.addStages(r, t, t+1, features, false, true)
}

// margins sets least and greatest.
func (s *shard) margins(r *Records, v []float64) {
	least, greatest := math.Inf(1), math.Inf(-1)
	d := len(v)
	zero := make([]float64, d)
	for t := s.first; t < s.end; t++ {
		rows := r.cells[r.start[t]*d : r.start[t+1]*d]
		pick := zero
		for stage := range r.depth[t] {
			if stage > 0 {
				pick, rows = rows[:d], rows[d:]
			}
			for others := rows; len(others) > 0; others = others[d:] {
				margin := relativeMargin(v, pick, others[:d])
				least, greatest = min(least, margin), max(greatest, margin)
			}
		}
	}
	s.least, s.greatest = least, greatest
}

// logSum sums logarithms by multiplying while the product is in range, which avoids most of the
// logarithms.
type logSum struct{ product, total float64 }

// add adds the logarithm of a number from 1 to 1e50.
func (l *logSum) add(x float64) {
	if l.product == 0 {
		l.product = 1
	}
	if l.product *= x; l.product > 1e250 {
		l.total += math.Log(l.product)
		l.product = 1
	}
}

func (l *logSum) sum() float64 {
	if l.product == 0 {
		return l.total
	}
	return l.total + math.Log(l.product)
}

// taskLogLikelihoods sets logs to the log-likelihood of each task, times its weight.
func (r *Records) taskLogLikelihoods(logs, theta []float64) {
	r.checkLength(theta)
	r.each(func(s *shard) {
		for t := s.first; t < s.end; t += blockTasks {
			last := min(t+blockTasks, s.end)
			s.setUtilities(r, t, last, theta)
			for task := t; task < last; task++ {
				end := r.start[task+1] - r.start[t]
				logs[task] = 0
				for stage := range r.depth[task] {
					first := r.start[task] - r.start[t] + left(stage)
					sum, shift := exponentials(s.exps[first:end], s.utilities[first:end], stage)
					logs[task] -= shift + math.Log(sum)
					if stage > 0 {
						logs[task] += s.utilities[first]
					}
				}
				logs[task] *= r.weight(task)
			}
		}
	})
}
