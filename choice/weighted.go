package choice

import "slices"

// Weighted returns the same tasks with a weight each, which multiplies the log-likelihood of the
// task: a positive, finite number. The records share their features.
func (r *Records) Weighted(weights []float64) *Records {
	if len(weights) != r.Tasks() {
		panic("choice: there must be one weight for each task")
	}
	weighted := *r
	weighted.weights, weighted.picks = slices.Clone(weights), 0
	for t, w := range weights {
		if !(w > 0) || w-w != 0 {
			panic("choice: a weight must be positive and finite")
		}
		weighted.picks += w * float64(r.depth[t])
	}
	weighted.shard()
	return &weighted
}

// weight returns the weight of a task.
func (r *Records) weight(t int) float64 {
	if r.weights == nil {
		return 1
	}
	return r.weights[t]
}

// Select returns the records of some tasks, in the given order, for estimates from a part of the
// data. The tasks count from zero.
func (r *Records) Select(tasks []int) *Records {
	d := len(r.names)
	s := &Records{names: r.names, ranges: make([]float64, d), start: []int{0}}
	for _, t := range tasks {
		rows := r.cells[r.start[t]*d : r.start[t+1]*d]
		s.cells = append(s.cells, rows...)
		s.start = append(s.start, len(s.cells)/d)
		s.depth = append(s.depth, r.depth[t])
		s.picks += r.weight(t) * float64(r.depth[t])
		if r.weights != nil {
			s.weights = append(s.weights, r.weights[t])
		}
		for k := range d {
			low, high := 0.0, 0.0 // of the best-ranked itself
			for at := k; at < len(rows); at += d {
				low, high = min(low, rows[at]), max(high, rows[at])
			}
			s.ranges[k] = max(s.ranges[k], high-low)
		}
	}
	s.shard()
	return s
}

// HitRate returns the share, by weight, of the tasks whose best-ranked alternative has the highest
// utility at θ. If several have it, the task counts as one hit divided by their number.
func (r *Records) HitRate(theta []float64) float64 {
	r.checkLength(theta)
	d, hits, total := len(theta), 0.0, 0.0
	for t := range r.Tasks() {
		tied := 1.0
		for row := r.start[t]; row < r.start[t+1]; row++ {
			switch u := dot(theta, r.cells[row*d:(row+1)*d]); {
			case u > 0:
				tied = 0
			case u == 0 && tied > 0:
				tied++
			}
			if tied == 0 {
				break
			}
		}
		if tied > 0 {
			hits += r.weight(t) / tied
		}
		total += r.weight(t)
	}
	return hits / total
}
