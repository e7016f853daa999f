package baseline

import (
	"gonum.org/v1/gonum/mat"

	"bestpick/choice"
	"bestpick/strategy"
)

// sequential asks one question after the other, estimates θ after every answer and checks the paper's
// stopping condition, with V of the questions answered so far. [NewRandom], [NewStatic] and [NewGLGapE]
// differ in how they choose questions.
type sequential struct {
	baseline

	choose  chooser
	decided bool
	shown   *mat.SymDense // V of the questions answered
}

// A chooser chooses the questions of a sequential strategy.
type chooser interface {
	// next sets q to the next question and counts it in the precision.
	next(s *sequential, q choice.Question) choice.Question

	// show counts a question in V.
	show(v *mat.SymDense, c *choice.Catalogue, q choice.Question)
}

func newSequential(c *choice.Catalogue, settings Settings) (*sequential, error) {
	b, err := newBaseline(c, settings)
	if err != nil {
		return nil, err
	}
	s := &sequential{baseline: b, shown: mat.NewSymDense(c.Dim(), nil)}
	for k := range c.Dim() {
		s.shown.SetSym(k, k, s.settings.Mu)
	}
	return s, nil
}

// Ask returns a lost question, or the next one.
func (s *sequential) Ask() (choice.Question, error) {
	if s.decided {
		return nil, strategy.ErrStopped
	}
	s.asked++
	if q, ok := s.ledger.AskAgain(); ok {
		return q, nil
	}
	s.question = s.choose.next(s, s.question[:0])
	return s.ledger.Ask(s.question), nil
}

// Tell counts an answer, re-estimates θ and checks whether to stop.
func (s *sequential) Tell(a choice.Answer) error {
	if err := s.settle(a); err != nil || s.decided {
		return err
	}
	if err := s.estimate.tally.Add(a); err != nil {
		return err
	}
	s.choose.show(s.shown, s.catalogue, a.Question)
	s.estimate.update()
	// Do not check the condition during the random questions (Algorithm 1, line 3).
	s.decided = s.answered > s.settings.Explore &&
		s.estimate.decided(s.bound, s.width(s.answered), s.norms())
	return nil
}

// norms returns the norms under V of the questions answered: the maintained ones if every question
// asked is answered.
func (s *sequential) norms() norms {
	if s.ledger.AllAnswered() {
		return s.precision
	}
	return normsOf(s.catalogue, s.shown)
}

// Verdict returns the state of knowledge.
func (s *sequential) Verdict() strategy.Verdict {
	if s.decided {
		return s.verdict(true, []int{s.estimate.leader})
	}
	return s.verdict(false, s.estimate.contenders(s.bound, s.width(max(s.answered, 1)), s.norms()))
}
