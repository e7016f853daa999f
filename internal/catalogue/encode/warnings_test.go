package encode_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/testsupport"
)

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(arms *catalogue.Table)
		want   []string
	}{
		{"nothing", func(*catalogue.Table) {}, nil},
		{
			"equal arms", func(arms *catalogue.Table) { repeatArm(arms, 3, 6) },
			[]string{"some options are equal in all columns that are used (rows in brackets): arm3 (4) = arm6 (7)"},
		},
		{
			"two groups", func(arms *catalogue.Table) { repeatArm(arms, 3, 6, 9); repeatArm(arms, 1, 4) },
			[]string{"some options are equal in all columns that are used (rows in brackets): arm1 (2) = arm4 (5); arm3 (4) = arm6 (7) = arm9 (10)"},
		},
		{"many groups", func(arms *catalogue.Table) {
			repeatArm(arms, 0, 3, 6, 9, 12)
			for i := 13; i < 18; i++ {
				repeatArm(arms, i, i+9)
			}
		}, []string{"some options are equal in all columns that are used (rows in brackets): arm0 (1) = arm3 (4) = arm6 (7); arm13 (14) = arm22 (23); arm14 (15) = arm23 (24); …"}},
		{
			"one level", func(arms *catalogue.Table) { arms.Column("brand").Texts[5] = "umbrella" },
			[]string{"only arm5 has brand=umbrella: the effect is that of this arm alone"},
		},
		{"two levels", func(arms *catalogue.Table) {
			arms.Column("brand").Texts[5], arms.Column("brand").Texts[8] = "x", "y"
		}, []string{"2 levels have one arm each (brand=x and brand=y): their effects are those of these arms alone"}},
		{"boolean", func(arms *catalogue.Table) {
			truths := slices.Repeat([]string{"no"}, arms.Len())
			truths[2] = "yes"
			arms.Columns = append(arms.Columns, cataloguetest.Booleans("wifi", truths...))
		}, []string{"only arm2 has wifi=true: the effect is that of this arm alone"}},
		{
			"outlier", func(arms *catalogue.Table) { arms.Column("price").Numbers[7] = 100 },
			[]string{"price of arm7 is 100, 9 standard deviations from the mean: this arm alone decides much of the effect"},
		},
		{"far, but not too far", func(arms *catalogue.Table) { arms.Column("price").Numbers[7] = 3.5 }, nil},
		{"nearly", func(arms *catalogue.Table) {
			near := slices.Clone(arms.Column("price").Numbers)
			near[0] += 0.1
			arms.Columns = append(arms.Columns, cataloguetest.Numbers("near", near...))
		}, []string{"near is nearly determined by price: their effects are hard to tell apart"}},
		{"variance lost", func(arms *catalogue.Table) {
			rng := rand.New(rand.NewPCG(3, 4))
			x := make([]float32, arms.Len()*50)
			for i := range x {
				x[i] = float32(rng.NormFloat64())
			}
			arms.Columns = append(arms.Columns, cataloguetest.Embedding("e", 50, x...))
		}, []string{"the 16 dimensions of e keep 62% of its variance: what people like may be in the rest; 32 keep 90%, 38 95% and 46 99%"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			arms := cataloguetest.Ordinary(90)
			c.change(arms)
			e, encoded := cataloguetest.EncodeTable(t, arms)
			var got []string
			for _, w := range e.Warnings(arms, encoded) {
				got = append(got, w.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// repeatArm gives some arms the features of another.
func repeatArm(arms *catalogue.Table, from int, to ...int) {
	for _, row := range to {
		for _, name := range []string{"price", "weight"} {
			x := arms.Column(name).Numbers
			x[row] = x[from]
		}
		brand := arms.Column("brand").Texts
		brand[row] = brand[from]
	}
}

func TestWarningOfAsManyFeaturesAsArms(t *testing.T) {
	arms := cataloguetest.Phones()
	e, c := cataloguetest.EncodeTable(t, arms)
	if warnings := fmt.Sprint(e.Warnings(arms, c)); !strings.Contains(warnings, "(3 for 4 arms): every arm is learned on its own") {
		t.Error(warnings)
	}
}

func TestWarningOfArmsALittleOutside(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("x", 1, 2, 3, 4)))
	later := cataloguetest.TableOf(cataloguetest.IDs("inside", "outside"), cataloguetest.Numbers("x", 4, 4.1))
	c, err := e.Encode(later)
	testsupport.NoError(t, err)
	if warnings := fmt.Sprint(e.Warnings(later, c)); !strings.Contains(warnings,
		"outside the unit ball of the first arms: outside;") {
		t.Error(warnings)
	}
}

func TestWarningOfLaterArms(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.Ordinary(90))
	later := cataloguetest.Ordinary(90)
	weights := later.Column("weight").Numbers
	weights[4], weights[5] = -3, -1
	c, err := e.Encode(later)
	testsupport.NoError(t, err)
	warnings := fmt.Sprint(e.Warnings(later, c))
	if !strings.Contains(warnings, "outside the unit ball of the first arms: arm4 and arm5;") ||
		!strings.Contains(warnings, "weight of arm4 is -3,") {
		t.Error(warnings)
	}
}
