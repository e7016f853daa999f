package choice

import "math"

// sharedExpRange is the widest range of utilities for which one exponential an
// arm serves every question: exp(−500) is far above the smallest double.
const sharedExpRange = 500

// armSpace evaluates a tally at given utilities of the arms, whatever model the
// utilities come from. A tally with Q distinct questions over m arms costs Q·K
// operations for the log-likelihood and the gradient and Q·K² for the
// information, as long as the utilities span less than [sharedExpRange]: then m
// exponentials are enough.
type armSpace struct {
	tally     *Tally
	utilities []float64 // of tally.seen
	top       float64   // their maximum
	shared    bool      // whether exps holds exp(u − top) of every seen arm
	exps      []float64
	weights   []float64 // scratch: exp(u − top) of the slots of one question
	residual  []float64 // picks less expected picks of every seen arm
	laplacian []float64 // the information about the utilities, m×m
}

// resize makes room for the utilities of the arms seen so far.
func (s *armSpace) resize() {
	m := len(s.tally.seen)
	if cap(s.utilities) < m {
		s.utilities = make([]float64, m, 2*m)
		s.exps = make([]float64, m, 2*m)
		s.residual = make([]float64, m, 2*m)
	}
	s.utilities, s.exps, s.residual = s.utilities[:m], s.exps[:m], s.residual[:m]
}

// prepare must be called whenever the utilities have changed.
func (s *armSpace) prepare() {
	if len(s.utilities) == 0 {
		return
	}
	low, top := s.utilities[0], s.utilities[0]
	for _, u := range s.utilities {
		low, top = min(low, u), max(top, u)
	}
	s.top, s.shared = top, top-low < sharedExpRange
	if s.shared {
		for i, u := range s.utilities {
			s.exps[i] = math.Exp(u - top)
		}
	}
}

// softmax returns exp(u − top) for the slots of a question, their sum, and the
// top utility that was taken out.
func (s *armSpace) softmax(slots []int32) (weights []float64, sum, top float64) {
	if cap(s.weights) < len(slots) {
		s.weights = make([]float64, len(slots))
	}
	weights = s.weights[:len(slots)]
	if s.shared {
		for i, place := range slots {
			weights[i] = s.exps[place]
			sum += weights[i]
		}
		return weights, sum, s.top
	}
	top = math.Inf(-1)
	for _, place := range slots {
		top = max(top, s.utilities[place])
	}
	for i, place := range slots {
		weights[i] = math.Exp(s.utilities[place] - top)
		sum += weights[i]
	}
	return weights, sum, top
}

// slotsOf returns the slots of question q.
func (s *armSpace) slotsOf(q int) []int32 {
	return s.tally.slots[s.tally.start[q]:s.tally.start[q+1]]
}

// logLikelihood returns Σ_q Σ_i wins_qi·(u_i − log Σ_j exp u_j).
func (s *armSpace) logLikelihood() float64 {
	value := 0.0
	for q, asked := range s.tally.asked {
		slots := s.slotsOf(q)
		_, sum, top := s.softmax(slots)
		value -= asked * math.Log(sum)
		for i, place := range slots {
			if wins := s.tally.slotWins[int(s.tally.start[q])+i]; wins != 0 {
				value += wins * (s.utilities[place] - top)
			}
		}
	}
	return value
}

// derive sets residual, the gradient with respect to the utilities, and calls
// each, unless it is nil, with the probabilities of every question, given as
// weights that sum to sum.
func (s *armSpace) derive(each func(q int, slots []int32, weights []float64, sum float64)) {
	copy(s.residual, s.tally.wins)
	for q, asked := range s.tally.asked {
		slots := s.slotsOf(q)
		weights, sum, _ := s.softmax(slots)
		share := asked / sum
		for i, place := range slots {
			s.residual[place] -= share * weights[i]
		}
		if each != nil {
			each(q, slots, weights, sum)
		}
	}
}

// deriveLaplacian sets residual and laplacian. With p the probabilities of a
// question asked w times, its information about the utilities is
// w·(diag(p) − pp'): a weighted graph Laplacian, whose rows sum to zero.
func (s *armSpace) deriveLaplacian() {
	m := len(s.utilities)
	if cap(s.laplacian) < m*m {
		s.laplacian = make([]float64, m*m)
	}
	s.laplacian = s.laplacian[:m*m]
	clear(s.laplacian)
	s.derive(s.addLaplacian)
	for i := range m {
		s.laplacian[i*m+i] = 0
	}
	for i := range m {
		row := s.laplacian[i*m : (i+1)*m]
		degree := row[i]
		for j := i + 1; j < m; j++ {
			s.laplacian[j*m+i] = row[j]
			s.laplacian[j*m+j] -= row[j]
			degree -= row[j]
		}
		row[i] = degree
	}
}

// addLaplacian adds the part of one question above the diagonal. What a repeated
// arm puts on the diagonal is overwritten by deriveLaplacian.
func (s *armSpace) addLaplacian(q int, slots []int32, weights []float64, sum float64) {
	m := len(s.utilities)
	scale := s.tally.asked[q] / (sum * sum)
	for i, place := range slots {
		row := s.laplacian[int(place)*m : (int(place)+1)*m]
		w := scale * weights[i]
		for j := i + 1; j < len(slots); j++ {
			row[slots[j]] -= w * weights[j]
		}
	}
}

// margins returns the range of u_y − u_j over all picks y and the arms j they
// were preferred to.
func (s *armSpace) margins() (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	for q := range s.tally.asked {
		slots := s.slotsOf(q)
		for i, place := range slots {
			if s.tally.slotWins[int(s.tally.start[q])+i] == 0 {
				continue
			}
			for j, other := range slots {
				if j != i {
					margin := s.utilities[place] - s.utilities[other]
					least, greatest = min(least, margin), max(greatest, margin)
				}
			}
		}
	}
	return least, greatest
}
