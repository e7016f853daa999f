package strategy

import (
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
)

// A machine is what all strategies of the paper are made of.
type machine struct {
	name      string
	catalogue *choice.Catalogue
	settings  Settings
	bound     evidence.PaperBound
	pcg       *rand.PCG
	rng       *rand.Rand       // draws from pcg
	precision design.Precision // of the questions asked
	estimate  *estimate
	question  choice.Question // scratch
}

// streamOfStrategies keeps a strategy's random numbers apart from others' that are
// made from the same seed.
const streamOfStrategies = 0x5354524154454759

func newMachine(name string, c *choice.Catalogue, s Settings) (machine, error) {
	s = s.WithDefaults()
	if err := s.check(c); err != nil {
		return machine{}, err
	}
	pcg := rand.NewPCG(s.Seed, streamOfStrategies)
	return machine{
		name: name, catalogue: c, settings: s,
		bound: evidence.PaperBound{Dim: c.Dim(), Arms: c.Len(), Delta: s.Delta, Kappa: s.Kappa},
		pcg:   pcg, rng: rand.New(pcg),
		precision: design.NewPrecision(c, s.Mu),
		estimate:  newEstimate(c, s.Ridge),
	}, nil
}

// Estimate returns θ̂, and the tally of the answers that count now: all of them, or
// those of the batch at hand, where θ̂ is still that of the last batch. The caller
// must not change them.
func (m *machine) Estimate() ([]float64, *choice.Tally) {
	return m.estimate.theta, m.estimate.tally
}
