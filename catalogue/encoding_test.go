package catalogue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/catalogue"
	"bestpick/catalogue/encode"
	"bestpick/choice"
	"bestpick/internal/approx"
)

func ids(names ...string) catalogue.Column {
	return catalogue.Column{Name: "id", Kind: catalogue.ID, Texts: names}
}

func numbers(name string, x ...float64) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Number, Numbers: x}
}

func categories(name string, levels ...string) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Category, Texts: levels}
}

func booleans(name string, truths ...string) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Boolean, Texts: truths}
}

func embedding(name string, width int, x ...float32) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Embedding, Width: width, Vectors: x}
}

func tableOf(columns ...catalogue.Column) *catalogue.Table {
	return &catalogue.Table{Source: "arms.csv", Columns: columns}
}

// encode learns the encoding of a table and applies it.
func encodeTable(t rapid.TB, arms *catalogue.Table) (*encode.Encoding, *choice.Catalogue) {
	t.Helper()
	e, err := encode.NewEncoding(arms, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := e.Encode(arms)
	if err != nil {
		t.Fatal(err)
	}
	return e, c
}

// phones are four arms whose encoding is easy: prices 1, 1, 3, 3 have mean 2 and standard
// deviation 1.
func phones() *catalogue.Table {
	return tableOf(
		ids("a", "b", "c", "d"),
		numbers("price", 1, 3, 3, 1),
		categories("brand", "acme", "hal", "acme", "zeta"),
		catalogue.Column{Name: "note", Kind: catalogue.Label, Texts: []string{"w", "x", "y", "z"}},
	)
}

func TestEncodingByHand(t *testing.T) {
	e, c := encodeTable(t, phones())
	if !slices.Equal(c.Features(), []string{"price", "brand=acme", "brand=hal"}) {
		t.Fatalf("features %q", c.Features())
	}
	// The longest arm is d, with −1 in all features.
	approx.EqualRelative(t, "ball", e.Ball, math.Sqrt(3), 1e-6)
	for i, want := range [][]float64{{-1, 1, 0}, {1, 0, 1}, {1, 1, 0}, {-1, -1, -1}} {
		for k := range want {
			want[k] /= math.Sqrt(3)
		}
		approx.EqualSlices(t, c.ID(i), c.Arm(i), want, 1e-6)
	}
	if len(e.LeftOut)+len(e.Nearly) > 0 {
		t.Errorf("left out %v, nearly %v", e.LeftOut, e.Nearly)
	}
}

func TestBooleansAsPeopleWriteThem(t *testing.T) {
	e, c := encodeTable(t, tableOf(ids("a", "b", "c", "d"), booleans("wifi", "yes", "No", "TRUE", "0")))
	approx.Equal(t, "ball", e.Ball, 1, 1e-6)
	for i, want := range []float64{1, -1, 1, -1} {
		approx.EqualSlices(t, c.ID(i), c.Arm(i), []float64{want}, 1e-6)
	}
}

// TestEveryArmIsInTheBall: no arm is longer than one, and one is as long.
func TestEveryArmIsInTheBall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c := encodeTable(t, drawTable(t))
		longest := 0.0
		for i := range c.Len() {
			longest = max(longest, math.Sqrt(dot(c.Arm(i), c.Arm(i))))
			for _, x := range c.Arm(i) {
				if float64(float32(x)) != x {
					t.Fatalf("%v has more than 32 bits", x)
				}
			}
		}
		if longest > 1 {
			t.Errorf("an arm is %v long", longest)
		}
		approx.Equal(t, "longest", longest, 1, 1e-6)
	})
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}

// drawTable draws a table of distinct-looking arms with columns of every kind, some of which
// follow from others.
func drawTable(t *rapid.T) *catalogue.Table {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	n := rapid.IntRange(3, 40).Draw(t, "arms")
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("arm %d", i))
	}
	arms := tableOf(ids(names...))
	add := func(c catalogue.Column) { arms.Columns = append(arms.Columns, c) }
	price := make([]float64, n)
	for i := range price {
		price[i] = math.Exp(3 * rng.NormFloat64())
	}
	add(numbers("price", price...))
	for k := range rapid.IntRange(0, 2).Draw(t, "categories") {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = "level " + string(rune('A'+rng.IntN(4)))
		}
		add(categories(fmt.Sprintf("category %d", k), texts...))
	}
	if rapid.Bool().Draw(t, "boolean") {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = []string{"true", "false"}[rng.IntN(2)]
		}
		add(booleans("wifi", texts...))
	}
	if rapid.Bool().Draw(t, "redundant") {
		cents := make([]float64, n)
		for i := range cents {
			cents[i] = 100*price[i] + 7
		}
		add(numbers("cents", cents...))
	}
	if rapid.Bool().Draw(t, "embedding") {
		width := rapid.IntRange(1, 20).Draw(t, "width")
		x := make([]float32, n*width)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		add(embedding("e", width, x...))
	}
	return arms
}

func TestMistakesAreNamed(t *testing.T) {
	study, _ := encodeTable(t, phones())
	vectors, _ := encodeTable(t, tableOf(ids("a", "b"), embedding("e", 2, 1, 2, 3, 4)))
	booleanStudy, _ := encodeTable(t, tableOf(ids("a", "b"), booleans("wifi", "yes", "no")))
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		e    *encode.Encoding // nil: a new one is to be learned
		arms *catalogue.Table
		says []string
	}{
		{"level", study, &catalogue.Table{Source: "new.csv", Lines: []int32{2, 9}, Columns: []catalogue.Column{
			ids("x", "y"), numbers("price", 1, 2), categories("brand", "acme", "umbrella"),
		}}, []string{`new.csv:9: column "brand": "umbrella" is a level that no arm of the study has`}},
		{"column", study, tableOf(ids("x", "y"), numbers("price", 1, 2)), []string{`arms.csv: column "brand": there is no such column`}},
		{"all of them", study, tableOf(ids("x", "x", ""), numbers("price", math.NaN(), inf, 1), categories("brand", "q", "acme", "r")), []string{
			`arms.csv: column "id": two arms have the same id`, `arms.csv:3: column "id": the arm has no id`,
			`arms.csv:1: column "price": the value is missing`, `arms.csv:2: column "price": +Inf is not a finite number`,
			`"q" is a level`, `"r" is a level`,
		}},
		{"line break", study, tableOf(ids("x\ny", "z"), numbers("price", 1, 2), categories("brand", "hal", "hal")), []string{`the id "x\ny" has a line break`}},
		{"kind", study, tableOf(ids("x", "y"), categories("price", "1", "2"), categories("brand", "hal", "hal")), []string{"it is of kind category, and for the arms of the study it is number"}},
		{"far away", study, tableOf(ids("x", "y"), numbers("price", 1, 1e300), categories("brand", "hal", "hal")), []string{`arms.csv:2: feature "price" is too far`}},
		{"width", vectors, tableOf(ids("x", "y"), embedding("e", 3, 1, 2, 3, 4, 5, 6)), []string{"the vectors have 3 numbers, those of the study have 2"}},
		{"vector", vectors, tableOf(ids("x", "y"), embedding("e", 2, 1, 2, 3, float32(inf))), []string{`arms.csv:2: column "e": number 2 of the vector is +Inf`}},
		{"boolean", booleanStudy, tableOf(ids("x", "y", "z"), booleans("wifi", "yes", "maybe", "")), []string{`arms.csv:2: column "wifi": "maybe" is neither true nor false`, "arms.csv:3: column \"wifi\": the value is missing"}},

		{"one arm", nil, tableOf(ids("x"), numbers("price", 1)), []string{"at least two arms are needed, there are 1"}},
		{"no features", nil, tableOf(ids("x", "y")), []string{"no column is a feature"}},
		{
			"no differences", nil, tableOf(ids("x", "y"), numbers("price", 1, 1), categories("brand", "a", "a"), booleans("wifi", "no", "no"), embedding("e", 1, 3, 3)),
			[]string{"the arms do not differ: price is the same for all arms; brand is the same", "wifi is", "e is"},
		},
		{"learned numbers", nil, tableOf(numbers("price", 1, math.NaN(), inf)), []string{"arms.csv:2", "arms.csv:3"}},
		{"too large", nil, tableOf(numbers("price", -1e308, 1e308)), []string{"are too large"}},
		{"missing level", nil, tableOf(categories("brand", "a", "b", "NA")), []string{`arms.csv:3: column "brand": the value is missing`}},
		{"no text", nil, tableOf(categories("brand", "a", "b\xff")), []string{`"b\xff" is not UTF-8 text`}},
		{"equal names", nil, tableOf(categories("a", "b=c", "d"), categories("a=b", "c", "d", "d")), []string{`two columns or levels are called "a=b=c"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var err error
			if c.e == nil {
				_, err = encode.NewEncoding(c.arms, 0)
			} else {
				_, err = c.e.Encode(c.arms)
			}
			if err == nil {
				t.Fatal("there was no error")
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("got %q, want …%s…", err, part)
				}
			}
		})
	}
	if _, err := encode.NewEncoding(phones(), -1); err == nil {
		t.Error("a negative number of dimensions was taken")
	}
}

// TestManyProblems: whatever is wrong with the ids, columns are not read where they are wrong.
func TestManyProblems(t *testing.T) {
	e, _ := encodeTable(t, phones())
	arms := tableOf(ids(make([]string, 100)...), numbers("price", make([]float64, 100)...))
	_, err := e.Encode(arms)
	problems, listed := errors.AsType[*catalogue.Problems](err)
	if !listed || len(problems.List)+problems.More != 102 {
		t.Errorf("got %v", err)
	}
}

func TestTooManyLevels(t *testing.T) {
	var levels []string
	for i := range 3000 {
		levels = append(levels, fmt.Sprint("name ", i))
	}
	_, err := encode.NewEncoding(tableOf(categories("name", levels...)), 0)
	if err == nil || !strings.Contains(err.Error(), `column "name": it becomes 2999 of 2999 features`) {
		t.Errorf("got %v", err)
	}
}

// TestArmsWithoutIDs are called by their numbers.
func TestArmsWithoutIDs(t *testing.T) {
	_, c := encodeTable(t, tableOf(numbers("price", 1, 2, 4)))
	if c.ID(0) != "1" || c.ID(2) != "3" {
		t.Errorf("ids %q and %q", c.ID(0), c.ID(2))
	}
}

// TestEncodingIsStable: an arm's features do not depend on the arms it comes with, nor on
// whether the encoding was saved in between.
func TestEncodingIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arms := drawTable(t)
		e, c := encodeTable(t, arms)
		if again, _ := encodeTable(t, arms); !reflect.DeepEqual(again, e) {
			t.Error("learned again, the encoding is another")
		}
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var loaded encode.Encoding
		if err := json.Unmarshal(text, &loaded); err != nil {
			t.Fatal(err)
		}
		row := rapid.IntRange(0, arms.Len()-1).Draw(t, "row")
		cells, err := loaded.Cells(oneArm(arms, row))
		if err != nil {
			t.Fatal(err)
		}
		for k, x := range c.Arm(row) {
			if float64(cells[k]) != x {
				t.Errorf("feature %s is %v alone and %v among others", c.Features()[k], cells[k], x)
			}
		}
	})
}

// oneArm returns a table with one row of another.
func oneArm(arms *catalogue.Table, row int) *catalogue.Table {
	alone := &catalogue.Table{Source: arms.Source}
	for _, c := range arms.Columns {
		switch c.Kind { //nolint:exhaustive // the others have a default
		case catalogue.Number:
			c.Numbers = c.Numbers[row : row+1]
		case catalogue.Embedding:
			c.Vectors = c.Vectors[row*c.Width : (row+1)*c.Width]
		default:
			c.Texts = c.Texts[row : row+1]
		}
		alone.Columns = append(alone.Columns, c)
	}
	return alone
}

func TestKindsAreThoseNeeded(t *testing.T) {
	e, _ := encodeTable(t, tableOf(numbers("l", 1, 2, 4), numbers("ml", 1000, 2000, 4000), booleans("wifi", "no", "yes", "no"), numbers("same", 1, 1, 1)))
	if got := fmt.Sprint(e.Kinds()); got != "map[l:number wifi:boolean]" {
		t.Errorf("kinds %v", got)
	}
	if _, err := e.Encode(tableOf(numbers("l", 1, 2), booleans("wifi", "no", "yes"))); err != nil {
		t.Errorf("a column that is left out is asked for: %v", err)
	}
}
