package choice

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// sharedExpRange is the widest range of utilities for which one exponential per arm serves every
// question: exp(−500) is far above the smallest double.
const sharedExpRange = 500

// armSpace evaluates a tally at given utilities of its arms; [Linear] and [Free] embed it. A tally
// with Q distinct questions over m arms costs Q·K operations for the log-likelihood and the
// gradient and Q·K² for the information, as long as the utilities span less than [sharedExpRange]:
// then m exponentials are enough.
type armSpace struct {
	tally      *Tally
	parameters parameters // the likelihood itself
	utilities  []float64  // utilities of tally.seen
	shared     bool       // whether exps is valid for all questions at once
	top        float64    // the utility subtracted in exps
	exps       []float64  // exp(u − top) of the seen arms
	residual   []float64  // picks less expected picks of every seen arm
	laplacian  []float64  // the information about the utilities, m×m
}

// parameters are what a likelihood estimates.
type parameters interface {
	// setUtilities sets the utilities of the arms seen to those of some parameters.
	setUtilities(v []float64)

	// derive sets the derivatives at the utilities.
	derive(gradient []float64, information *mat.SymDense)
}

// LogLikelihood returns ℓ at the given parameters.
func (s *armSpace) LogLikelihood(v []float64) float64 {
	s.parameters.setUtilities(v)
	return s.logLikelihood()
}

// Derivatives sets the gradient and the information at the given parameters.
func (s *armSpace) Derivatives(v, gradient []float64, information *mat.SymDense) {
	s.parameters.setUtilities(v)
	s.parameters.derive(gradient, information)
}

// Evaluate returns ℓ and sets its derivatives.
func (s *armSpace) Evaluate(v, gradient []float64, information *mat.SymDense) float64 {
	value := s.LogLikelihood(v)
	s.parameters.derive(gradient, information)
	return value
}

// Spread returns the range of the utilities along v over the arms seen, an upper bound on the range within
// any question.
func (s *armSpace) Spread(v []float64) float64 {
	s.parameters.setUtilities(v)
	return s.spread()
}

// Picks returns the total weight of the picks tallied.
func (s *armSpace) Picks() float64 { return s.tally.Picks() }

// NullLogLikelihood returns −Σ log K.
func (s *armSpace) NullLogLikelihood() float64 { return s.tally.NullLogLikelihood() }

func (s *armSpace) setTally(tally *Tally) { s.tally = tally }

// resize allocates memory for the utilities of the arms seen so far.
func (s *armSpace) resize() {
	m := len(s.tally.seen)
	if cap(s.utilities) < m {
		s.utilities = make([]float64, m, 2*m)
		s.exps = make([]float64, m, 2*m)
		s.residual = make([]float64, m, 2*m)
	}
	s.utilities, s.exps, s.residual = s.utilities[:m], s.exps[:m], s.residual[:m]
}

// prepare sets exps, for all questions at once if the range of the utilities allows it.
func (s *armSpace) prepare() {
	if s.shared = s.spread() < sharedExpRange; !s.shared || len(s.utilities) == 0 {
		return
	}
	s.top = largest(s.utilities)
	for i, u := range s.utilities {
		s.exps[i] = exp(u - s.top)
	}
}

// slotsOf returns the slots of question q, after setting exps for them.
func (s *armSpace) slotsOf(q int) []int32 {
	slots := s.tally.slots[s.tally.start[q]:s.tally.start[q+1]]
	if !s.shared {
		s.prepareAlone(slots)
	}
	return slots
}

// prepareAlone sets exps for the arms of one question, after subtracting its largest utility.
func (s *armSpace) prepareAlone(slots []int32) {
	s.top = math.Inf(-1)
	for _, place := range slots {
		s.top = max(s.top, s.utilities[place])
	}
	for _, place := range slots {
		s.exps[place] = exp(s.utilities[place] - s.top)
	}
}

// logLikelihood returns Σ_q Σ_i wins_qi·(u_i − log Σ_j exp u_j).
func (s *armSpace) logLikelihood() float64 {
	s.prepare()
	value := 0.0
	for q, asked := range s.tally.asked {
		slots := s.slotsOf(q)
		wins := s.tally.slotWins[s.tally.start[q]:s.tally.start[q+1]]
		sum := 0.0
		for i, place := range slots {
			sum += s.exps[place]
			if wins[i] != 0 {
				value += wins[i] * (s.utilities[place] - s.top)
			}
		}
		value -= asked * math.Log(sum)
	}
	return value
}

// setResidual sets residual, the gradient with respect to the utilities.
func (s *armSpace) setResidual() {
	s.prepare()
	copy(s.residual, s.tally.wins)
	for q, asked := range s.tally.asked {
		slots := s.slotsOf(q)
		sum := 0.0
		for _, place := range slots {
			sum += s.exps[place]
		}
		for _, place := range slots {
			s.residual[place] -= asked * s.exps[place] / sum
		}
	}
}

// setLaplacian sets residual and laplacian. With p the probabilities of a
// question asked w times, its information about the utilities is
// w·(diag(p) − pp'): a weighted graph Laplacian, whose rows sum to zero. This is
// the innermost loop of every strategy.
func (s *armSpace) setLaplacian() {
	s.prepare()
	m := len(s.utilities)
	if cap(s.laplacian) < m*m {
		s.laplacian = make([]float64, m*m)
	}
	laplacian, residual, exps := s.laplacian[:m*m], s.residual, s.exps
	s.laplacian = laplacian
	clear(laplacian)
	copy(residual, s.tally.wins)
	for q, asked := range s.tally.asked {
		slots := s.slotsOf(q)
		if len(slots) == 3 {
			s.addTriple(asked, slots)
			continue
		}
		sum := 0.0
		for _, place := range slots {
			sum += exps[place]
		}
		inverse := 1 / sum
		for len(slots) > 0 {
			place := int(slots[0])
			slots = slots[1:]
			expected := asked * (exps[place] * inverse)
			residual[place] -= expected
			row := laplacian[place*m : place*m+m]
			for _, other := range slots {
				row[other] -= expected * (exps[other] * inverse)
			}
		}
	}
	s.mirrorLaplacian()
}

// addTriple is setLaplacian's loop body for K = 3, unrolled. Most studies and the paper's
// experiments show three arms, and the unrolled loop takes a third off the time of a re-estimate.
func (s *armSpace) addTriple(asked float64, slots []int32) {
	m := len(s.utilities)
	i, j, k := int(slots[0]), int(slots[1]), int(slots[2])
	inverse := 1 / (s.exps[i] + s.exps[j] + s.exps[k])
	pi, pj, pk := s.exps[i]*inverse, s.exps[j]*inverse, s.exps[k]*inverse
	s.residual[i] -= asked * pi
	s.residual[j] -= asked * pj
	s.residual[k] -= asked * pk
	s.laplacian[i*m+j] -= asked * pi * pj
	s.laplacian[i*m+k] -= asked * pi * pk
	s.laplacian[j*m+k] -= asked * pj * pk
}

// mirrorLaplacian completes a Laplacian whose upper triangle is known. It overwrites the diagonal,
// to which repeated arms have added.
func (s *armSpace) mirrorLaplacian() {
	m := len(s.utilities)
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

// spread returns the range of the utilities, an upper bound on the range within any question.
func (s *armSpace) spread() float64 {
	if len(s.utilities) == 0 {
		return 0
	}
	low, top := s.utilities[0], s.utilities[0]
	for _, u := range s.utilities {
		low, top = min(low, u), max(top, u)
	}
	return top - low
}

// margins returns the range of relative(y, j) over all picks y and the arms j they
// were preferred to.
func (s *armSpace) margins(relative func(pick, other int) float64) (least, greatest float64) {
	least, greatest = math.Inf(1), math.Inf(-1)
	for arms, wins := range s.tally.Questions() {
		for i, pick := range arms {
			if wins[i] == 0 {
				continue
			}
			for j, other := range arms {
				if j != i {
					margin := relative(pick, other)
					least, greatest = min(least, margin), max(greatest, margin)
				}
			}
		}
	}
	return least, greatest
}
