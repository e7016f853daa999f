package baseline

import (
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/strategy"
)

// A Sequential strategy asks one question after the other, estimates θ after every answer and
// checks the paper's stopping condition, with V of the questions answered so far. [NewRandom],
// [NewStatic] and [NewGLGapE] differ in how they choose questions.
type Sequential struct {
	baseline

	choose   chooser
	state    sequentialState
	answered *mat.SymDense // V of the questions answered
}

// sequentialState is the part of a snapshot that baseline does not have.
type sequentialState struct {
	Ledger   strategy.Ledger `json:"ledger"`
	Asked    int             `json:"asked"`
	Answered int             `json:"answered"`
	Decided  bool            `json:"decided"`
}

// A chooser chooses the questions of a sequential strategy.
type chooser interface {
	// next sets q to the next question and counts it in the precision.
	next(s *Sequential, q choice.Question) choice.Question

	// show counts a question in V.
	show(v *mat.SymDense, c *choice.Catalogue, q choice.Question)
}

func newSequential(name string, c *choice.Catalogue, settings Settings) (*Sequential, error) {
	b, err := newBaseline(name, c, settings)
	if err != nil {
		return nil, err
	}
	s := &Sequential{baseline: b, answered: mat.NewSymDense(c.Dim(), nil)}
	for k := range c.Dim() {
		s.answered.SetSym(k, k, s.settings.Mu)
	}
	return s, nil
}

// Ask returns a lost question, or the next one.
func (s *Sequential) Ask() (choice.Question, error) {
	if s.state.Decided {
		return nil, strategy.ErrStopped
	}
	s.state.Asked++
	if q, ok := s.state.Ledger.AskAgain(); ok {
		return q, nil
	}
	s.question = s.choose.next(s, s.question[:0])
	return s.state.Ledger.Ask(s.question), nil
}

// Tell counts an answer, re-estimates θ and checks whether to stop.
func (s *Sequential) Tell(a choice.Answer) error {
	if err := a.Check(s.catalogue.Len()); err != nil {
		return err
	}
	if err := s.state.Ledger.Settle(a.Question); err != nil {
		return err
	}
	s.state.Answered++
	if s.state.Decided {
		return nil
	}
	if err := s.estimate.tally.Add(a); err != nil {
		return err
	}
	s.choose.show(s.answered, s.catalogue, a.Question)
	s.estimate.update()
	// Do not check the condition during the random questions (Algorithm 1, line 3).
	s.state.Decided = s.state.Answered > s.settings.Explore &&
		s.estimate.decided(s.bound, s.width(s.state.Answered), s.norms())
	return nil
}

// norms returns the norms under V of the questions answered: the maintained ones if every question
// asked is answered.
func (s *Sequential) norms() norms {
	if s.state.Ledger.AllAnswered() {
		return s.precision
	}
	return normsOf(s.catalogue, s.answered)
}

// Lose queues a question to be asked again.
func (s *Sequential) Lose(q choice.Question) error {
	if err := s.state.Ledger.Lose(q); err != nil {
		return err
	}
	s.state.Asked--
	return nil
}

// Verdict returns the state of knowledge.
func (s *Sequential) Verdict() strategy.Verdict {
	v := strategy.Verdict{Leader: s.estimate.leader, Asked: s.state.Asked, Answered: s.state.Answered}
	if s.state.Decided {
		v.Status, v.Contenders = strategy.Decided, []int{v.Leader}
	} else {
		v.Contenders = s.estimate.contenders(s.bound, s.width(max(s.state.Answered, 1)), s.norms())
	}
	v.Elimination = strategy.NewElimination(s.catalogue, 0, len(v.Contenders)-1)
	return v
}
