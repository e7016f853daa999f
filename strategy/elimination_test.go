package strategy_test

import (
	"testing"

	"bestpick/choice"
	"bestpick/strategy"
)

// TestElimination: the share goes from 0 to 1, without withdrawn arms.
func TestElimination(t *testing.T) {
	c, err := choice.NewCatalogue([]string{"a", "b", "c", "d", "e", "f"}, []string{"x"}, [][]float64{{1}, {2}, {3}, {4}, {5}, {6}})
	if err != nil {
		t.Fatal(err)
	}
	for rivals, want := range []struct {
		eliminated int
		share      float64
	}{{4, 1}, {3, 0.75}, {2, 0.5}, {1, 0.25}, {0, 0}} {
		if e := strategy.NewElimination(c, 1, rivals); e.Rivals != rivals || e.Eliminated != want.eliminated || e.Share() != want.share {
			t.Errorf("%d rivals: %+v, share %v", rivals, e, e.Share())
		}
	}
}

// TestEliminationInProduct: the profiles that differ from the leader in one group count, not all.
func TestEliminationInProduct(t *testing.T) {
	group := func(name string) choice.Group {
		return choice.Group{Options: []string{"0", "1", "2"}, Features: []string{name}, Rows: [][]float64{{0}, {1}, {2}}}
	}
	c, err := choice.NewProduct([]choice.Group{group("x"), group("y"), group("z")})
	if err != nil {
		t.Fatal(err)
	}
	if e := strategy.NewElimination(c, 0, 2); e.Eliminated != 4 || e.Rivals != 2 {
		t.Errorf("%+v of %d profiles", e, c.Len())
	}
}
