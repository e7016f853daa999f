package baseline

import (
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/evidence"
)

// The names of the strategies in commands and snapshots.
const (
	random       = "random"
	static       = "static"
	adaptive     = "adaptive"
	glgape       = "glgape"
	rageGLM      = "rage-glm"
	topTwo       = "top-two"
	traceTheBest = "trace-the-best"
)

// A baseline is the common part of the strategies.
type baseline struct {
	name      string
	catalogue *choice.Catalogue
	settings  Settings
	bound     evidence.PaperBound
	width     func(t int) float64 // of the bound; GLGapE may have another
	pcg       *rand.PCG
	rng       *rand.Rand       // draws from pcg
	precision design.Precision // of the questions asked
	estimate  *estimate
	question  choice.Question // scratch
}

// stream separates the random numbers of a strategy from others with the same seed.
const stream = 0x5354524154454759

func newBaseline(name string, c *choice.Catalogue, s Settings) (baseline, error) {
	s = s.WithDefaults()
	if err := s.Check(c); err != nil {
		return baseline{}, err
	}
	pcg := rand.NewPCG(s.Seed, stream)
	bound := evidence.PaperBound{Dim: c.Dim(), Arms: c.Len(), Delta: s.Delta, Kappa: s.Kappa}
	return baseline{
		name: name, catalogue: c, settings: s,
		bound: bound, width: bound.Width,
		pcg: pcg, rng: rand.New(pcg),
		precision: design.NewPrecision(c, s.Mu),
		estimate:  newEstimate(c, s.Ridge),
	}, nil
}

// Estimate returns θ̂ and the tally of the answers that count now: all of them, or those of the
// current batch, while θ̂ is still that of the previous batch. The caller must not change them.
func (b *baseline) Estimate() ([]float64, *choice.Tally) {
	return b.estimate.theta, b.estimate.tally
}
