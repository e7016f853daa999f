package baseline

import (
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
	"bestpick/strategy"
)

// A policy is what strategies differ in.
type policy interface {
	// next sets q to the next question. It reports false if that depends on outstanding answers.
	next(q choice.Question) (next choice.Question, ok bool)

	// count counts an answer, up to the decision.
	count(a choice.Answer) error

	// contenders returns the arms that are not eliminated, the leader first.
	contenders() []int

	// decided reports whether the leader is the decision.
	decided() bool
}

// A runner is a strategy that follows a policy.
type runner struct {
	policy    policy
	catalogue *choice.Catalogue
	settings  Settings
	bound     evidence.PaperBound
	rng       *rand.Rand
	precision *design.Products // of the questions asked
	estimate  *estimate
	question  choice.Question // scratch

	ledger          strategy.Ledger
	asked, answered int // questions, in all
}

// stream separates the random numbers of a strategy from others with the same seed.
const stream = 0x5354524154454759

func newRunner(c *choice.Catalogue, s Settings) (*runner, error) {
	s = s.WithDefaults()
	if err := s.check(c); err != nil {
		return nil, err
	}
	return &runner{
		catalogue: c, settings: s,
		bound:     evidence.PaperBound{Dim: c.Dim(), Arms: c.Len(), Delta: s.Delta, Kappa: s.Kappa},
		rng:       rand.New(rand.NewPCG(s.Seed, stream)),
		precision: design.NewProducts(c, s.Mu),
		estimate:  newEstimate(c, s.Ridge),
	}, nil
}

// Estimate returns θ̂ and the tally of the answers that count now: all of them, or those of the
// current batch, while θ̂ is still that of the previous batch. The caller must not change them.
func (r *runner) Estimate() ([]float64, *choice.Tally) {
	return r.estimate.theta, r.estimate.tally
}

// Ask returns a lost question, or the next one.
func (r *runner) Ask() (choice.Question, error) {
	if r.policy.decided() {
		return nil, strategy.ErrStopped
	}
	q, again := r.ledger.AskAgain()
	if !again {
		next, ok := r.policy.next(r.question[:0])
		if !ok {
			return nil, strategy.ErrWaiting
		}
		r.question = next
		q = r.ledger.Ask(next)
	}
	r.asked++
	return q, nil
}

// Tell counts an answer to an outstanding question.
func (r *runner) Tell(a choice.Answer) error {
	if err := a.Check(r.catalogue.Len()); err != nil {
		return err
	}
	if err := r.ledger.Settle(a.Question); err != nil {
		return err
	}
	r.answered++
	if r.policy.decided() {
		return nil
	}
	return r.policy.count(a)
}

// Lose queues a question to be asked again.
func (r *runner) Lose(q choice.Question) error {
	if err := r.ledger.Lose(q); err != nil {
		return err
	}
	r.asked--
	return nil
}

// Verdict returns the state of knowledge.
func (r *runner) Verdict() strategy.Verdict {
	contenders := r.policy.contenders()
	v := strategy.Verdict{Leader: contenders[0], Asked: r.asked, Answered: r.answered, Contenders: contenders}
	v.Elimination = strategy.NewElimination(r.catalogue, 0, len(contenders)-1)
	if r.policy.decided() {
		v.Status = strategy.Decided
	}
	return v
}

// randomQuestion sets q to K arms, each drawn uniformly and independently (Algorithm 1, line
// 4). It draws again if all are the same.
func (r *runner) randomQuestion(q choice.Question) choice.Question {
	for {
		q = q[:0]
		same := true
		for range r.settings.K {
			q = append(q, r.rng.IntN(r.catalogue.Len()))
			same = same && q[len(q)-1] == q[0]
		}
		if !same {
			return q
		}
	}
}

// show counts the arms of a question in the precision.
func (r *runner) show(q choice.Question) {
	for _, arm := range q {
		r.precision.Show(arm)
	}
}
