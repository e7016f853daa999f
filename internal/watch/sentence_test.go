package watch_test

import (
	"slices"
	"testing"

	"bestpick/internal/watch"
	"bestpick/wire"
)

func TestMisfits(t *testing.T) {
	if got := watch.Misfits(wire.Verdict{}); got != nil {
		t.Errorf("without misfits: %q", got)
	}
	got := watch.Misfits(wire.Verdict{Misfits: []wire.Misfit{{Arm: wire.Arm{ID: "o", Label: "Oslo"}, Picked: 72, Expected: 49.6}}})
	if want := []string{"Oslo was picked 72 times, but the model predicts 50."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSentenceOfMajority(t *testing.T) {
	oslo, bergen := wire.Arm{ID: "o", Label: "Oslo"}, wire.Arm{ID: "bergen"}
	for _, c := range []struct {
		verdict wire.Verdict
		want    string
	}{
		{
			wire.Verdict{State: "done", Status: "certified", Answers: 90, Leader: &oslo, Delta: 0.05, Epsilon: 0.2, Assumption: "majority"},
			"Oslo wins. At most 55 in 100 people would choose another option over Oslo (wrong with probability at most 5%).",
		},
		{
			wire.Verdict{State: "open", Status: "asking", Answers: 90, Leader: &oslo, Delta: 0.05, Epsilon: 0.2, Assumption: "majority", Cycle: []wire.Arm{oslo, bergen}},
			"No clear favourite: bergen is chosen over Oslo, Oslo over bergen.",
		},
	} {
		if got := watch.Sentence(c.verdict); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
