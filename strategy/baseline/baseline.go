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

import (
	"fmt"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
	"bestpick/strategy"
)

// The names of the strategies in commands.
const (
	random       = "random"
	static       = "static"
	adaptive     = "adaptive"
	glgape       = "glgape"
	rageGLM      = "rage-glm"
	topTwo       = "top-two"
	traceTheBest = "trace-the-best"
)

// Names returns the names that [New] accepts.
func Names() []string {
	return []string{random, static, adaptive, glgape, rageGLM, topTwo, traceTheBest}
}

// New returns the strategy with the given name.
func New(name string, c *choice.Catalogue, s Settings) (strategy.Strategy, error) {
	switch name {
	case random:
		return NewRandom(c, s)
	case static:
		return NewStatic(c, s)
	case adaptive:
		return NewAdaptive(c, s)
	case glgape:
		return NewGLGapE(c, s)
	case rageGLM:
		return NewRAGE(c, s)
	case topTwo:
		return NewTopTwo(c, s)
	case traceTheBest:
		return NewTraceTheBest(c, s)
	}
	return nil, fmt.Errorf("unknown strategy %q", name)
}

// A baseline is the common part of the strategies.
type baseline struct {
	catalogue *choice.Catalogue
	settings  Settings
	bound     evidence.PaperBound
	width     func(t int) float64 // of the bound; GLGapE may have another
	rng       *rand.Rand
	precision design.Precision // of the questions asked
	estimate  *estimate
	question  choice.Question // scratch

	ledger          strategy.Ledger
	asked, answered int // questions, in all
}

// stream separates the random numbers of a strategy from others with the same seed.
const stream = 0x5354524154454759

func newBaseline(c *choice.Catalogue, s Settings) (baseline, error) {
	s = s.WithDefaults()
	if err := s.Check(c); err != nil {
		return baseline{}, err
	}
	bound := evidence.PaperBound{Dim: c.Dim(), Arms: c.Len(), Delta: s.Delta, Kappa: s.Kappa}
	return baseline{
		catalogue: c, settings: s,
		bound: bound, width: bound.Width,
		rng:       rand.New(rand.NewPCG(s.Seed, stream)),
		precision: design.NewPrecision(c, s.Mu),
		estimate:  newEstimate(c, s.Ridge),
	}, nil
}

// Estimate returns θ̂ and the tally of the answers that count now: all of them, or those of the
// current batch, while θ̂ is still that of the previous batch. The caller must not change them.
func (b *baseline) Estimate() ([]float64, *choice.Tally) {
	return b.estimate.theta, b.estimate.tally
}

// settle counts an answer to an outstanding question.
func (b *baseline) settle(a choice.Answer) error {
	if err := a.Check(b.catalogue.Len()); err != nil {
		return err
	}
	if err := b.ledger.Settle(a.Question); err != nil {
		return err
	}
	b.answered++
	return nil
}

// Lose queues a question to be asked again.
func (b *baseline) Lose(q choice.Question) error {
	if err := b.ledger.Lose(q); err != nil {
		return err
	}
	b.asked--
	return nil
}

// verdict returns the state of knowledge with these contenders, the leader first.
func (b *baseline) verdict(decided bool, contenders []int) strategy.Verdict {
	v := strategy.Verdict{Leader: contenders[0], Asked: b.asked, Answered: b.answered, Contenders: contenders}
	v.Elimination = strategy.NewElimination(b.catalogue, 0, len(contenders)-1)
	if decided {
		v.Status = strategy.Decided
	}
	return v
}

// randomQuestion sets q to k of n arms, each drawn uniformly and independently (Algorithm 1, line
// 4). It draws again if all are the same.
func randomQuestion(rng *rand.Rand, q choice.Question, k, n int) choice.Question {
	for {
		q = q[:0]
		same := true
		for range k {
			q = append(q, rng.IntN(n))
			same = same && q[len(q)-1] == q[0]
		}
		if !same {
			return q
		}
	}
}
