package choice

import "iter"

// Scores iterates over the gradients at θ of the log-likelihood of each cluster of tasks, for
// [Estimate.RobustCovariance]. clusters[t] is the cluster of task t; if clusters is nil, every task
// is a cluster. Each score stands for one cluster and is valid until the next step.
func (r *Records) Scores(theta []float64, clusters []int) iter.Seq2[[]float64, float64] {
	r.checkLength(theta)
	if clusters != nil && len(clusters) != r.Tasks() {
		panic("choice: there must be one cluster for each task")
	}
	return func(yield func([]float64, float64) bool) {
		one := r.newShard(0, r.Tasks())
		if clusters == nil {
			for t := range r.Tasks() {
				if one.score(r, t, theta); !yield(one.gradient, 1) {
					return
				}
			}
			return
		}
		sum := make([]float64, len(theta))
		for _, tasks := range grouped(clusters) {
			clear(sum)
			for _, t := range tasks {
				one.score(r, t, theta)
				addScaled(sum, 1, one.gradient)
			}
			if !yield(sum, 1) {
				return
			}
		}
	}
}

// grouped returns the indices of equal values together, in order of appearance.
func grouped(values []int) [][]int {
	place := map[int]int{}
	var groups [][]int
	for i, v := range values {
		at, known := place[v]
		if !known {
			at = len(groups)
			place[v] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// Scores iterates over the gradients at θ of the log-likelihood of each cluster, given as a tally,
// for [Estimate.RobustCovariance]. Clusters may share one tally that is reset in between. A score
// is valid until the next step.
func (l *Linear) Scores(theta []float64, clusters iter.Seq[*Tally]) iter.Seq[[]float64] {
	return scores(&Linear{catalogue: l.catalogue}, theta, clusters)
}

// Scores iterates over the gradients of the log-likelihood of each cluster, like [Linear.Scores].
func (f *Free) Scores(utilities []float64, clusters iter.Seq[*Tally]) iter.Seq[[]float64] {
	return scores(&Free{ids: f.ids}, utilities, clusters)
}

// scores sets the tally of one to each cluster in turn and yields its gradient.
func scores(one interface {
	setTally(tally *Tally)
	setUtilities(theta []float64)
	setResidual()
	setGradient(gradient []float64)
}, theta []float64, clusters iter.Seq[*Tally],
) iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		score := make([]float64, len(theta))
		for tally := range clusters {
			one.setTally(tally)
			one.setUtilities(theta)
			one.setResidual()
			if one.setGradient(score); !yield(score) {
				return
			}
		}
	}
}
