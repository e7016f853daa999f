package main

import (
	"bestpick/choice"
	"bestpick/strategy"
)

// perArm is how often rounds shows each arm.
const perArm = 20

// rounds shows every arm equally often, and decides for the arm that was picked most often. It certifies
// nothing.
type rounds struct {
	arms  *choice.Catalogue
	state roundsState
}

// A roundsState is what a snapshot contains.
type roundsState struct {
	K        int
	Asked    int // distinct questions so far
	Answered int
	Picks    []int // by arm, up to the decision
	Ledger   strategy.Ledger
}

func newRounds(arms *choice.Catalogue, s strategy.Settings) (strategy.Strategy, error) {
	return &rounds{arms, roundsState{K: s.K, Picks: make([]int, arms.Len())}}, nil
}

func restoreRounds(arms *choice.Catalogue, snapshot []byte) (strategy.Strategy, error) {
	r := &rounds{arms: arms}
	return r, strategy.Unseal(snapshot, "rounds", 1, &r.state)
}

func (r *rounds) Snapshot() ([]byte, error) { return strategy.Seal("rounds", 1, r.state) }

// total is the number of questions: question i shows the arms i, i+1, … in a circle.
func (r *rounds) total() int { return perArm * r.arms.Len() / r.state.K }

func (r *rounds) decided() bool { return r.state.Answered >= r.total() }

func (r *rounds) Ask() (choice.Question, error) {
	if r.decided() {
		return nil, strategy.ErrStopped
	}
	if lost, ok := r.state.Ledger.AskAgain(); ok {
		return lost, nil
	}
	if r.state.Asked == r.total() {
		return nil, strategy.ErrWaiting
	}
	question := make(choice.Question, r.state.K)
	for slot := range question {
		question[slot] = (r.state.Asked + slot) % r.arms.Len()
	}
	r.state.Asked++
	return r.state.Ledger.Ask(question), nil
}

func (r *rounds) Tell(answer choice.Answer) error {
	if err := answer.Check(r.arms.Len()); err != nil {
		return err
	}
	if err := r.state.Ledger.Settle(answer.Question); err != nil {
		return err
	}
	if !r.decided() {
		r.state.Picks[answer.Question[answer.Picks[0]]]++
	}
	r.state.Answered++
	return nil
}

func (r *rounds) Lose(question choice.Question) error { return r.state.Ledger.Lose(question) }

func (r *rounds) Verdict() strategy.Verdict {
	v := strategy.Verdict{Asked: r.state.Answered + r.state.Ledger.Total, Answered: r.state.Answered}
	for arm, picks := range r.state.Picks {
		if picks > r.state.Picks[v.Leader] {
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
