// Package baseline implements the strategies of "Pure Exploration with Structured Preference
// Feedback", for comparison: [NewRandom] (RandAlloc), [NewStatic] (BAI-Lin-MNL), [NewAdaptive]
// (BAI-Lin-MNL-Adap) and, for pairs, [NewGLGapE] by Kazerouni and Wein, to which the paper
// compares. Further baselines are [NewRAGE] (RAGE-GLM) and [NewTopTwo] for pairs, and [NewTraceTheBest]
// for arms without features. All implement [strategy.Strategy]:
//
//	s, err := baseline.NewStatic(catalogue, baseline.Settings{K: 3})
//	…
//	question, err := s.Ask() // strategy.ErrStopped after the decision
//	…
//	err = s.Tell(choice.Answer{Question: question, Picks: []int{slot}})
//
// [New] makes a strategy by its name, as commands and experiments do.
//
// The first four stop by the paper's bound ([evidence.PaperBound]), whose assumptions do not hold at the
// paper's settings, so their decisions are not certified; docs/guarantee.md has the details. The
// others state their guarantees themselves. The decisions of package strategy/racing are certified.
package baseline
