// Package baseline implements strategies of other authors, for comparison. [New] makes them by their names:
//
//   - random (RandAlloc), static (BAI-Lin-MNL) and adaptive (BAI-Lin-MNL-Adap) of "Pure Exploration with
//     Structured Preference Feedback";
//   - glgape by Kazerouni and Wein, for pairs, to which the paper compares;
//   - rage-glm (RAGE-GLM) and top-two (top-two Thompson sampling), for pairs;
//   - trace-the-best, for arms without features.
//
// All implement [strategy.Strategy]:
//
//	s, err := baseline.New("static", catalogue, baseline.Settings{K: 3})
//	…
//	question, err := s.Ask() // strategy.ErrStopped after the decision
//	…
//	err = s.Tell(choice.Answer{Question: question, Picks: []int{slot}})
//
// The first four stop by the paper's bound ([evidence.PaperBound]), whose assumptions do not hold at the
// paper's settings, so their decisions are not certified; docs/guarantee.md has the details. The
// others state their guarantees themselves. The decisions of package strategy/racing are certified.
package baseline

import (
	"fmt"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/strategy"
)

// New returns the strategy with the given name. There must be at most [design.MaxProducts] arms, and at most 256 for rage-glm.
func New(name string, c *choice.Catalogue, s Settings) (strategy.Strategy, error) {
	most, pairs := design.MaxProducts, false
	switch name {
	case "rage-glm":
		most, pairs = maxPaired, true
	case "glgape", "top-two":
		pairs = true
	}
	if pairs && s.K == 0 {
		s.K = 2
	}
	if pairs && s.K != 2 {
		return nil, fmt.Errorf("%s asks about pairs, K must be 2", name)
	}
	if c.Len() > most {
		return nil, fmt.Errorf("%s takes at most %d arms, got %d; use racing for more arms", name, most, c.Len())
	}
	r, err := newRunner(c, s)
	if err != nil {
		return nil, err
	}
	switch name {
	case "random":
		r.policy = newSequential(r) // RandAlloc: K arms, each drawn uniformly
	case "static":
		r.policy = newStatic(r)
	case "adaptive":
		r.policy = newAdaptive(r)
	case "glgape":
		r.policy = newGLGapE(r)
	case "rage-glm":
		r.policy, err = newRAGE(r)
	case "top-two":
		r.policy, err = newTopTwo(r)
	case "trace-the-best":
		r.policy, err = newTraceTheBest(r)
	default:
		err = fmt.Errorf("unknown strategy %q", name)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}
