// Package racing has the certified strategy. It adapts to every answer and stops when all θ under
// which another arm is better than the leader, by more than ε, are refuted by [evidence.Anytime]:
// whatever it has asked and however often it has looked, the arm it returns is wrong with
// probability at most δ, as long as the picks follow one softmax with utilities linear in the
// features, no two of which differ by more than [evidence.MaxSpread], and whether an answer arrives
// does not depend on what it is. There is no κ and no λ̃, and no union over arms.
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
// [Expect] says beforehand how many answers that is likely to take. [Racing.Extend] and
// [Racing.Withdraw] change the arms of a running study. [Racing.Snapshot] and [Restore] save and
// load the state; replaying the answers leads to the same state.
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
// The challenger is the arm whose lead over the leader is least certain,
// argmin_j Δ̂²/‖a_b−a_j‖²_{H⁻¹}, and the question the one that shrinks that uncertainty most
// ([design.Widest]); each planned question adds its expected information before the next is chosen.
// Now and then, about √t times in t questions, a random challenger keeps every contender in view.
// Asking takes the next question off the deck.
//
// Where that is forecast to be quicker, the leader is instead shown with its contenders, and the
// picks of one of two arms are evidence of their own ([evidence.Duel]).
//
// Capital goes into the evidence as the challenger's Z = Δ̂²/(2‖·‖²) rises: learning d parameters
// from τ to t costs about (d/2)·log(t/τ), so it pays to begin when Z is about d/2 (and no less than
// 3), and the weights are spread around that.
//
// # Majority
//
// With [Settings.Assume] set to [strategy.Majority] the certificate needs no model: at most half of the
// people, and ε, choose another arm over the certified one ([evidence.Majority]). The model, with a
// residual for every arm, only guides. The answers of a respondent are held back until
// [Racing.Finish], so that no question depends on its respondent's own answers. A look then is
//
//	belief ──► leader ──► election ──► stop
//	  θ̂, residuals  least beaten   capital against   └──► campaign ──► deck
//	                               each rival
//
// A leader that is credible is nominated, and a campaign compares it with its rivals, drawn by the
// number of respondents that each still takes.
//
// # Checks
//
// [checks.Monitor] checks all along whether the answers fit the model: while they refute it nothing
// is certified. A [Model] takes more into account than the features.
package racing
