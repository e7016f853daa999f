// Package strategy defines the interface of algorithms that find the best arm: a [Strategy] is
// asked for questions and told answers. It owns no loop, no clock and no input or output. Its
// caller shows the questions to respondents, or to a simulated crowd, one at a time or many at
// once:
//
//	s, err := racing.New(catalogue, racing.Settings{K: 3, Delta: 0.05})
//	if err != nil {
//		return err
//	}
//	for {
//		question, err := s.Ask()
//		if errors.Is(err, strategy.ErrStopped) {
//			break
//		}
//		if err != nil {
//			return err
//		}
//		slot := show(question) // a respondent picks one of the arms shown
//		if err := s.Tell(choice.Answer{Question: question, Picks: []int{slot}}); err != nil {
//			return err
//		}
//	}
//	best := s.Verdict().Leader
//
// A [Verdict] has the [Status], the leader and the contenders. Use package strategy/racing, whose
// strategy is certified. Package strategy/baseline implements the strategies of "Pure Exploration
// with Structured Preference Feedback", for comparison. Package strategy/strategytest is the
// conformance suite of both.
//
// [Ledger], [Seal] and [Unseal] are for authors of strategies.
package strategy
