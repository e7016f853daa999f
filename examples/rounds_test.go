package examples_test

import (
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/strategytest"
)

// perArm is how often rounds shows each arm.
const perArm = 20

// rounds shows every arm equally often, and decides for the arm that was picked most often. It certifies
// nothing.
type rounds struct {
	arms     *choice.Catalogue
	k        int
	asked    int // distinct questions so far
	answered int
	picks    []int // by arm, up to the decision
	ledger   strategy.Ledger
}

func newRounds(arms *choice.Catalogue, k int) *rounds {
	return &rounds{arms: arms, k: k, picks: make([]int, arms.Len())}
}

// total is the number of questions: question i shows the arms i, i+1, … in a circle.
func (r *rounds) total() int { return perArm * r.arms.Len() / r.k }

func (r *rounds) decided() bool { return r.answered >= r.total() }

func (r *rounds) Ask() (choice.Question, error) {
	if r.decided() {
		return nil, strategy.ErrStopped
	}
	if lost, ok := r.ledger.AskAgain(); ok {
		return lost, nil
	}
	if r.asked == r.total() {
		return nil, strategy.ErrWaiting
	}
	question := make(choice.Question, r.k)
	for slot := range question {
		question[slot] = (r.asked + slot) % r.arms.Len()
	}
	r.asked++
	return r.ledger.Ask(question), nil
}

func (r *rounds) Tell(answer choice.Answer) error {
	if err := answer.Check(r.arms.Len()); err != nil {
		return err
	}
	if err := r.ledger.Settle(answer.Question); err != nil {
		return err
	}
	if !r.decided() {
		r.picks[answer.Question[answer.Picks[0]]]++
	}
	r.answered++
	return nil
}

func (r *rounds) Lose(question choice.Question) error { return r.ledger.Lose(question) }

func (r *rounds) Verdict() strategy.Verdict {
	v := strategy.Verdict{Asked: r.answered + r.ledger.Total, Answered: r.answered}
	for arm, picks := range r.picks {
		if picks > r.picks[v.Leader] {
			v.Leader = arm
		}
	}
	v.Contenders = []int{v.Leader}
	if r.decided() {
		v.Status = strategy.Decided
	} else {
		for arm := range r.arms.Len() {
			if arm != v.Leader {
				v.Contenders = append(v.Contenders, arm)
			}
		}
	}
	v.Elimination = strategy.NewElimination(r.arms, 0, len(v.Contenders)-1)
	return v
}

// TestRounds: the strategy passes the conformance suite.
func TestRounds(t *testing.T) {
	strategytest.Run(t, strategytest.Subject{
		New: func(arms *choice.Catalogue, k int, _ uint64) (strategy.Strategy, error) {
			return newRounds(arms, k), nil
		},
		K: []int{2, 3}, Questions: 100,
	})
}
