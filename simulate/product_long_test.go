//go:build long

package simulate_test

import "testing"

// TestLongProduct: a product of 8 attributes with 5 levels each, 390,625 profiles, whose levels
// are 0.75 apart in utility, is decided right in 50 of 50 runs at δ = 0.05. (Were verdicts
// wrong as often as δ allows, that would happen in 8 % of such tests; the evidence is more
// careful than δ.)
func TestLongProduct(t *testing.T) {
	in := productInstance(t, 8, 5, 0.75, 1)
	if in.Catalogue.Len() != 390_625 {
		t.Fatalf("%d profiles", in.Catalogue.Len())
	}
	const runs = 50
	right, questions := 0, 0
	for _, run := range runProduct(t, in, runs) {
		if run.Certified && run.Correct {
			right++
		}
		questions += run.Questions
	}
	t.Logf("%d of %d certified and right, %d questions on average", right, runs, questions/runs)
	if right != runs {
		t.Errorf("%d of %d certified and right", right, runs)
	}
}
