package crowd

import (
	"math/rand/v2"

	"bestpick/choice"
)

// A Population draws one person: the utilities of all arms for them. Equal utilities make a person who
// clicks at random.
type Population func(rng *rand.Rand) []float64

// Drawn returns respondents drawn from a population, who answer each questions each.
func Drawn(p Population, each int, rng *rand.Rand) *People {
	return &People{Each: each, Join: func(int, int) Respondent {
		return &Person{Utilities: p(rng), Rng: rng}
	}}
}

// A Person picks by the softmax of their own utilities.
type Person struct {
	Utilities []float64 // of all arms
	Rng       *rand.Rand

	noisy []float64
	picks []int
}

// Pick returns the slots picked. The slice is valid until the next call.
func (p *Person) Pick(q choice.Question, picks int) []int {
	p.noisy = p.noisy[:0]
	for _, arm := range q {
		p.noisy = append(p.noisy, p.Utilities[arm]+Gumbel(p.Rng))
	}
	p.picks = best(p.picks[:0], p.noisy, picks)
	return p.picks
}
