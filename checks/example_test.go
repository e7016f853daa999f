package checks_test

import (
	"fmt"
	"math/rand/v2"

	"bestpick/checks"
	"bestpick/choice"
	"bestpick/crowd"
)

// Respondents who favour the first slot of the screen violate the model.
func ExampleStudy() {
	arms, err := choice.NewCatalogue([]string{"a", "b", "c"}, []string{"x", "y"}, [][]float64{{1, 0}, {0, 1}, {0.5, 0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := checks.NewStudy(arms)
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	respondent := &crowd.Adjusted{
		Catalogue: arms, Theta: []float64{1, 0}, Adjust: crowd.FavourSlots(1.5), Noise: crowd.Gumbel,
		Rng: rng,
	}
	for range 300 {
		if err := s.Tell(crowd.Answer(respondent, rng.Perm(3), 1)); err != nil {
			fmt.Println(err)
			return
		}
	}
	finding := s.Look()
	fmt.Println(finding.Status, finding.Check)
	fmt.Println(finding.Remedy)
	// Output:
	// refuted position
	// allow for constants of the slots (model slots)
}
