package baseline

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
)

// topTwo is top-two Thompson sampling (Russo, "Simple Bayesian Algorithms for Best Arm Identification", COLT 2016) for pairs of
// arms with features: it draws θ from a normal approximation of the posterior ([evidence.Belief]) and asks about the arm that is
// best under it and the one that is best under the next draw with another best arm. So the two arms of the sampler are the two
// arms of the question. It stops when the least (Δ̂)²/(2‖a_b − a_j‖²_{H⁻¹}) over all other arms j reaches log((1 + log t)/δ), the
// threshold of the experiments of Garivier and Kaufmann, "Optimal Best Arm Identification with Fixed Confidence", COLT 2016.
//
// It has no guarantee. The theorems about top-two samplers are asymptotic, for arms without features
// whose rewards are observed one by one, and no theorem covers the threshold.
type topTwo struct {
	*runner

	white   *choice.Catalogue
	linear  *choice.Linear
	belief  evidence.Belief
	leader  int
	rivals  []int // arms that the stopping rule does not decide
	stopped bool
}

// redraws is the number of draws until the second arm is the closest rival of the first.
const redraws = 1000

func newTopTwo(r *runner) (policy, error) {
	white, err := choice.Whiten(r.catalogue)
	if err != nil {
		return nil, err
	}
	t := &topTwo{runner: r, white: white, linear: choice.NewLinear(white, r.estimate.tally)}
	t.belief = evidence.NewBelief(white.Dim())
	t.judge()
	return t, nil
}

func (t *topTwo) next(q choice.Question) (choice.Question, bool) {
	root := t.root()
	first := t.draw(root)
	second := first
	for n := 0; second == first && n < redraws; n++ {
		second = t.draw(root)
	}
	if second == first {
		second = t.nearest(first)
	}
	return append(q, first, second), true
}

// root returns the Cholesky factor of the covariance of the belief.
func (t *topTwo) root() *mat.TriDense {
	d := t.white.Dim()
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(d, append([]float64(nil), t.belief.Inverse...))) {
		panic("baseline: the covariance is not positive definite")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	return &lower
}

// draw returns the best arm, the first of several, under a θ drawn from the belief.
func (t *topTwo) draw(root *mat.TriDense) int {
	d := t.white.Dim()
	noise := make([]float64, d)
	for k := range noise {
		noise[k] = t.rng.NormFloat64()
	}
	var theta mat.VecDense
	theta.MulVec(root, mat.NewVecDense(d, noise))
	theta.AddVec(&theta, mat.NewVecDense(d, t.belief.Fitted))
	best, top := 0, math.Inf(-1)
	for arm := range t.white.Len() {
		if u := t.white.Utility(arm, theta.RawVector().Data); u > top {
			best, top = arm, u
		}
	}
	return best
}

// nearest returns the arm whose lead over a given one is least certain to be negative.
func (t *topTwo) nearest(first int) int {
	best, least := -1, math.Inf(1)
	for arm := range t.white.Len() {
		if arm == first {
			continue
		}
		if z := t.z(first, arm); best < 0 || z < least {
			best, least = arm, z
		}
	}
	return best
}

// z returns (Δ̂)²/(2‖a_b − a_j‖²_{H⁻¹}), infinite for copies, which cannot be better.
func (t *topTwo) z(leader, arm int) float64 {
	d := t.white.Dim()
	g, solved := floats.SubTo(make([]float64, d), t.white.Arm(leader), t.white.Arm(arm)), make([]float64, d)
	for k := range solved {
		solved[k] = floats.Dot(t.belief.Inverse[k*d:(k+1)*d], g)
	}
	lead, width := floats.Dot(g, t.belief.Fitted), floats.Dot(g, solved)
	if !(width > 0) {
		return math.Inf(1)
	}
	return lead * lead / (2 * width)
}

// count counts an answer, re-estimates θ and checks whether to stop.
func (t *topTwo) count(a choice.Answer) error {
	if err := t.estimate.tally.Add(a); err != nil {
		return err
	}
	t.belief.Fit(t.linear)
	t.judge()
	t.stopped = t.answered > t.settings.Explore && len(t.rivals) == 0
	return nil
}

// judge sets the leader and the arms that may be better.
func (t *topTwo) judge() {
	t.leader, t.rivals = 0, nil
	for arm := range t.white.Len() {
		if t.white.Utility(arm, t.belief.Fitted) > t.white.Utility(t.leader, t.belief.Fitted) {
			t.leader = arm
		}
	}
	threshold := math.Log((1 + math.Log(max(float64(t.answered), 1))) / t.settings.Delta)
	for arm := range t.white.Len() {
		if arm != t.leader && t.z(t.leader, arm) < threshold {
			t.rivals = append(t.rivals, arm)
		}
	}
}

func (t *topTwo) decided() bool { return t.stopped }

func (t *topTwo) contenders() []int { return append([]int{t.leader}, t.rivals...) }
