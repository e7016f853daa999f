// Package racing implements the certified strategy. It adapts to every answer and stops when [evidence.Anytime] refutes every θ
// under which another arm is better than the leader by more than ε. With probability at least 1 − δ no arm is better than the
// returned arm by more than ε, whatever questions it asked and however often it looked. This holds if
//
//   - the picks follow one softmax with utilities linear in the features,
//   - no two utilities differ by more than [evidence.MaxSpread], and
//   - whether an answer arrives does not depend on its content.
//
// Unlike the paper's bound it needs no κ, no λ̃ and no union bound over arms.
//
// # Use
//
// [New] makes a strategy for the arms of a catalogue. Ask it for questions and tell it answers, one
// at a time or many at once, until it stops:
//
//	s, err := racing.New(catalogue, racing.Settings{K: 3, Delta: 0.05, Epsilon: 0.1})
//	…
//	question, err := s.Ask() // strategy.ErrStopped after the decision
//	…
//	err = s.Tell(choice.Answer{Question: question, Picks: []int{slot}})
//	…
//	v := s.Verdict() // at any time: leader, contenders, forecast
//
// Package prospects estimates in advance how many answers that takes. Extend and Withdraw change the arms of a running study.
// Snapshot and [Restore] save and load the state; replaying the answers leads to the same state.
//
// Under [strategy.Majority] New returns a [majority.Race]. With a fallback, a linear race collects majority
// evidence too, and continues as a majority race if the answers refute the linear model.
//
// # Method
//
// A look is a pipeline of values. It fits θ̂, chooses the active set of arms, weighs the evidence
// against each of them, and then stops or plans a deck of questions:
//
//	belief ──► active set ──► leads ──► standings ──► stop
//	  θ̂, H⁻¹    all arms,       Δ̂, ‖·‖²    evidence,   └──► deck
//	            or some                   forecast
//
// The challenger is the arm whose lead over the leader is least certain, argmin_j Δ̂²/‖a_b−a_j‖²_{H⁻¹}. The question is the one
// that shrinks that uncertainty most ([design.Widest]). Each planned question adds its expected information before the next is
// chosen. About √t times in t questions, the challenger is random, so that no contender is neglected. Ask takes the next question
// from the deck.
//
// If that is forecast to take fewer answers, questions show the leader with its contenders instead.
// Picks of one of two arms are then evidence from a [evidence.Duel].
//
// Arms that share few features also have [evidence.Tilts] against them, which learn one number instead of d parameters.
//
// The strategy invests capital as the challenger's Z = Δ̂²/(2‖·‖²) rises. Learning d parameters from τ to t costs about
// (d/2)·log(t/τ), so the best time to invest is when Z is about d/2 (and no less than 3). The weights are spread around that.
//
// [checks.Monitor] tests throughout whether the answers fit the model: while they refute it nothing
// is certified. A [Model] includes effects beyond the features.
package racing
