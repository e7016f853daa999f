package baseline

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/evidence"
	"bestpick/strategy"
)

// TopTwo is top-two Thompson sampling (Russo, "Simple Bayesian Algorithms for Best Arm Identification",
// COLT 2016) for pairs of arms with features: it draws θ from a normal approximation of the posterior
// ([evidence.Belief]) and asks about the arm that is best under it and the one that is best under the
// next draw with another best arm. So the two arms of the sampler are the two arms of the question. It
// stops when the least (Δ̂)²/(2‖a_b − a_j‖²_{H⁻¹}) over all other arms j reaches log((1 + log t)/δ), the
// threshold of the experiments of Garivier and Kaufmann, "Optimal Best Arm Identification with Fixed
// Confidence", COLT 2016.
//
// It has no guarantee. The theorems about top-two samplers are asymptotic, for arms without features
// whose rewards are observed one by one, and no theorem covers the threshold.
type TopTwo struct {
	baseline

	white  *choice.Catalogue
	linear *choice.Linear
	state  topTwoState
}

// topTwoState is the part of a snapshot that baseline does not have.
type topTwoState struct {
	Ledger   strategy.Ledger `json:"ledger"`
	Asked    int             `json:"asked"`
	Answered int             `json:"answered"`
	Belief   evidence.Belief `json:"belief"`
	Leader   int             `json:"leader"`
	Rivals   []int           `json:"rivals,omitempty"` // arms that the stopping rule does not decide
	Decided  bool            `json:"decided"`
}

// redraws is the number of draws until the second arm is the closest rival of the first.
const redraws = 1000

// NewTopTwo returns top-two Thompson sampling.
func NewTopTwo(c *choice.Catalogue, settings Settings) (*TopTwo, error) {
	if settings.K == 0 {
		settings.K = 2
	}
	if settings.K != 2 {
		return nil, errors.New("top-two asks about pairs, K must be 2")
	}
	b, err := newBaseline(topTwo, c, settings)
	if err != nil {
		return nil, err
	}
	white, err := choice.Whiten(c)
	if err != nil {
		return nil, err
	}
	t := &TopTwo{baseline: b, white: white, linear: choice.NewLinear(white, b.estimate.tally)}
	t.state.Belief = evidence.NewBelief(white.Dim())
	t.judge()
	return t, nil
}

// Ask returns a lost question, or the next one.
func (t *TopTwo) Ask() (choice.Question, error) {
	if t.state.Decided {
		return nil, strategy.ErrStopped
	}
	t.state.Asked++
	if q, ok := t.state.Ledger.AskAgain(); ok {
		return q, nil
	}
	root := t.root()
	first := t.draw(root)
	second := first
	for n := 0; second == first && n < redraws; n++ {
		second = t.draw(root)
	}
	if second == first {
		second = t.nearest(first)
	}
	t.question = append(t.question[:0], first, second)
	return t.state.Ledger.Ask(t.question), nil
}

// root returns the Cholesky factor of the covariance of the belief.
func (t *TopTwo) root() *mat.TriDense {
	d := t.white.Dim()
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(d, append([]float64(nil), t.state.Belief.Inverse...))) {
		panic("baseline: the covariance is not positive definite")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	return &lower
}

// draw returns the best arm, the first of several, under a θ drawn from the belief.
func (t *TopTwo) draw(root *mat.TriDense) int {
	d := t.white.Dim()
	noise := make([]float64, d)
	for k := range noise {
		noise[k] = t.rng.NormFloat64()
	}
	var theta mat.VecDense
	theta.MulVec(root, mat.NewVecDense(d, noise))
	theta.AddVec(&theta, mat.NewVecDense(d, t.state.Belief.Fitted))
	best, top := 0, math.Inf(-1)
	for arm := range t.white.Len() {
		if u := t.white.Utility(arm, theta.RawVector().Data); u > top {
			best, top = arm, u
		}
	}
	return best
}

// nearest returns the arm whose lead over a given one is least certain to be negative.
func (t *TopTwo) nearest(first int) int {
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
func (t *TopTwo) z(leader, arm int) float64 {
	d := t.white.Dim()
	g, solved := floats.SubTo(make([]float64, d), t.white.Arm(leader), t.white.Arm(arm)), make([]float64, d)
	for k := range solved {
		solved[k] = floats.Dot(t.state.Belief.Inverse[k*d:(k+1)*d], g)
	}
	lead, width := floats.Dot(g, t.state.Belief.Fitted), floats.Dot(g, solved)
	if !(width > 0) {
		return math.Inf(1)
	}
	return lead * lead / (2 * width)
}

// Tell counts an answer, re-estimates θ and checks whether to stop.
func (t *TopTwo) Tell(a choice.Answer) error {
	if err := a.Check(t.catalogue.Len()); err != nil {
		return err
	}
	if err := t.state.Ledger.Settle(a.Question); err != nil {
		return err
	}
	t.state.Answered++
	if t.state.Decided {
		return nil
	}
	if err := t.estimate.tally.Add(a); err != nil {
		return err
	}
	t.state.Belief.Fit(t.linear)
	t.judge()
	t.state.Decided = t.state.Answered > t.settings.Explore && len(t.state.Rivals) == 0
	return nil
}

// judge sets the leader and the arms that may be better.
func (t *TopTwo) judge() {
	s := &t.state
	s.Leader, s.Rivals = 0, nil
	for arm := range t.white.Len() {
		if t.white.Utility(arm, s.Belief.Fitted) > t.white.Utility(s.Leader, s.Belief.Fitted) {
			s.Leader = arm
		}
	}
	threshold := math.Log((1 + math.Log(max(float64(s.Answered), 1))) / t.settings.Delta)
	for arm := range t.white.Len() {
		if arm != s.Leader && t.z(s.Leader, arm) < threshold {
			s.Rivals = append(s.Rivals, arm)
		}
	}
}

// Lose queues a question to be asked again.
func (t *TopTwo) Lose(q choice.Question) error {
	if err := t.state.Ledger.Lose(q); err != nil {
		return err
	}
	t.state.Asked--
	return nil
}

// Verdict returns the state of knowledge.
func (t *TopTwo) Verdict() strategy.Verdict {
	s := &t.state
	v := strategy.Verdict{Leader: s.Leader, Asked: s.Asked, Answered: s.Answered, Contenders: []int{s.Leader}}
	if s.Decided {
		v.Status = strategy.Decided
	} else {
		v.Contenders = append(v.Contenders, s.Rivals...)
	}
	v.Elimination = strategy.NewElimination(t.catalogue, 0, len(v.Contenders)-1)
	return v
}

// Snapshot returns the state, for [Restore].
func (t *TopTwo) Snapshot() ([]byte, error) { return t.save(t.state, nil) }

func (t *TopTwo) restore(saved snapshot) error {
	t.state = topTwoState{}
	return t.load(saved, &t.state)
}
