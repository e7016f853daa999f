package design_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"bestpick/choice"
	"bestpick/design"
)

// Choose the two lamps to show next so that most is learned about the difference of any two.
func Example() {
	lamps, err := choice.NewCatalogue([]string{"orb", "dome", "reed"}, []string{"light", "brass"},
		[][]float64{{1, 0}, {0, 1}, {0.4, 0.4}})
	if err != nil {
		log.Fatal(err)
	}
	precision := design.NewProducts(lamps, 1e-4)
	rule := design.NewGreedy(precision, design.XY, design.TiesSum, rand.New(rand.NewPCG(1, 2)))
	question := rule.Question(nil, 2)
	fmt.Println(lamps.ID(question[0]), lamps.ID(question[1]))
	fmt.Printf("width of their difference: %.2f\n", precision.Gap(question[0], question[1]))
	// Output:
	// orb dome
	// width of their difference: 2.00
}
