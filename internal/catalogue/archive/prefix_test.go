package archive_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/testsupport"
)

// TestFirstArmsAreWhatTheyWere before others were added, to the byte.
func TestFirstArmsAreWhatTheyWere(t *testing.T) {
	stages := []*archive.Catalogue{saveLamps(t)}
	for _, more := range []string{
		"sku,price,cents,brand,country,wifi,description\ng,+13,1300,acme,us,no,More\nh,14,n/a,hal,us,YES,\n",
		"sku,price,brand,wifi,image\ni,13.50,zeta,no,https://example.org/i.png\n",
	} {
		whole, err := extend(stages[len(stages)-1], more, catalogue.Options{})
		testsupport.NoError(t, err)
		stages = append(stages, &whole.Catalogue)
	}
	last := stages[len(stages)-1]
	for _, stage := range stages {
		first := last.First(stage.Arms.Len())
		// What came up later is empty for the first.
		for _, texts := range [][2]*[]string{{&stage.Descriptions, &first.Descriptions}, {&stage.Images, &first.Images}} {
			if *texts[0] == nil && !slices.ContainsFunc(*texts[1], func(text string) bool { return text != "" }) {
				*texts[1] = nil
			}
		}
		if !bytes.Equal(save(t, first), save(t, stage)) {
			t.Errorf("the first %d arms have changed", stage.Arms.Len())
		}
	}
	if last.First(9) != last {
		t.Error("all arms are another catalogue")
	}
	first := last.First(6)
	first.Attributes[0].Numbers = append(first.Attributes[0].Numbers, 99)
	first.Labels = append(first.Labels, "other")
	if last.Attributes[0].Numbers[6] != 13 || last.Labels[6] != "" {
		t.Error("what is added to the first arms is written over others")
	}
}

// TestFirstOfVeryManyArms: where there were so few that they were kept in 64 bits, utilities are
// what they were, to the bit.
func TestFirstOfVeryManyArms(t *testing.T) {
	const n, d, few = 2100, 2048, 2000 // few·d is below 2²², n·d above
	ids, features, cells, theta := make([]string, n), make([]string, d), make([]float32, n*d), make([]float64, d)
	for k := range d {
		features[k], theta[k] = fmt.Sprint("x", k), math.Cos(float64(k))
	}
	rows := make([][]float64, few)
	for i := range ids {
		ids[i] = fmt.Sprint("a", i)
		for k := range d {
			cells[i*d+k] = float32(math.Sin(float64(i*d + k)))
			if i < few {
				rows[i] = append(rows[i], float64(cells[i*d+k]))
			}
		}
	}
	all, err := choice.NewDense(ids, features, cells)
	testsupport.NoError(t, err)
	before, err := choice.NewCatalogue(ids[:few], features, rows)
	testsupport.NoError(t, err)
	saved := &archive.Catalogue{Arms: all}
	first := saved.First(few).Arms
	for i := range few {
		if !slices.Equal(first.Arm(i), before.Arm(i)) || math.Float64bits(first.Utility(i, theta)) != math.Float64bits(before.Utility(i, theta)) {
			t.Fatalf("the utility of arm %d was %v and is %v", i, before.Utility(i, theta), first.Utility(i, theta))
		}
	}
	if still := saved.First(n - 1).Arms; math.Float64bits(still.Utility(7, theta)) != math.Float64bits(all.Utility(7, theta)) {
		t.Error("most of very many arms are not kept as all of them are")
	}
}
