// Package cataloguetest has tables, files and profiles of arms for tests.
package cataloguetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/product"
)

// IDs returns a column of ids.
func IDs(names ...string) catalogue.Column {
	return catalogue.Column{Name: "id", Kind: catalogue.ID, Texts: names}
}

// Numbers returns a column of numbers.
func Numbers(name string, x ...float64) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Number, Numbers: x}
}

// Categories returns a column of levels.
func Categories(name string, levels ...string) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Category, Texts: levels}
}

// Booleans returns a column of booleans as people write them.
func Booleans(name string, truths ...string) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Boolean, Texts: truths}
}

// Embedding returns a column of vectors, one after the other.
func Embedding(name string, width int, x ...float32) catalogue.Column {
	return catalogue.Column{Name: name, Kind: catalogue.Embedding, Width: width, Vectors: x}
}

// TableOf returns a table of columns.
func TableOf(columns ...catalogue.Column) *catalogue.Table {
	return &catalogue.Table{Source: "arms.csv", Columns: columns}
}

// EncodeTable learns the encoding of a table and applies it.
func EncodeTable(t rapid.TB, arms *catalogue.Table) (*encode.Encoding, *choice.Catalogue) {
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

// Phones are four arms whose encoding is easy: prices 1, 1, 3, 3 have mean 2 and standard
// deviation 1.
func Phones() *catalogue.Table {
	return TableOf(
		IDs("a", "b", "c", "d"),
		Numbers("price", 1, 3, 3, 1),
		Categories("brand", "acme", "hal", "acme", "zeta"),
		catalogue.Column{Name: "note", Kind: catalogue.Label, Texts: []string{"w", "x", "y", "z"}},
	)
}

// DrawTable draws a table of distinct-looking arms with columns of every kind, some of which
// follow from others.
func DrawTable(t *rapid.T) *catalogue.Table {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	n := rapid.IntRange(3, 40).Draw(t, "arms")
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("arm %d", i))
	}
	arms := TableOf(IDs(names...))
	add := func(c catalogue.Column) { arms.Columns = append(arms.Columns, c) }
	price := make([]float64, n)
	for i := range price {
		price[i] = math.Exp(3 * rng.NormFloat64())
	}
	add(Numbers("price", price...))
	for k := range rapid.IntRange(0, 2).Draw(t, "categories") {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = "level " + string(rune('A'+rng.IntN(4)))
		}
		add(Categories(fmt.Sprintf("category %d", k), texts...))
	}
	if rapid.Bool().Draw(t, "boolean") {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = []string{"true", "false"}[rng.IntN(2)]
		}
		add(Booleans("wifi", texts...))
	}
	if rapid.Bool().Draw(t, "redundant") {
		cents := make([]float64, n)
		for i := range cents {
			cents[i] = 100*price[i] + 7
		}
		add(Numbers("cents", cents...))
	}
	if rapid.Bool().Draw(t, "embedding") {
		width := rapid.IntRange(1, 20).Draw(t, "width")
		x := make([]float32, n*width)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		add(Embedding("e", width, x...))
	}
	return arms
}

// OneArm returns a table with one row of another.
func OneArm(arms *catalogue.Table, row int) *catalogue.Table {
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

// Ordinary returns n arms that nothing is wrong with: two numbers and a category.
func Ordinary(n int) *catalogue.Table {
	rng := rand.New(rand.NewPCG(1, 2))
	names, price, weight, brand := make([]string, n), make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		names[i] = fmt.Sprint("arm", i)
		price[i], weight[i] = rng.Float64(), rng.Float64()
		brand[i] = []string{"acme", "hal", "zeta"}[i%3]
	}
	return TableOf(IDs(names...), Numbers("price", price...), Numbers("weight", weight...), Categories("brand", brand...))
}

// DrawUtilities draws a utility for every column and level. Those of the levels of a category add up
// to zero.
func DrawUtilities(t *rapid.T, e *encode.Encoding) map[string]float64 {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "utilities"), 1))
	utilities := map[string]float64{}
	for _, c := range e.Columns {
		switch c.Kind { //nolint:exhaustive // the others have a default
		case catalogue.Number:
			utilities[c.Column] = rng.NormFloat64() / c.Scale
		case catalogue.Boolean:
			utilities[c.Column] = rng.NormFloat64()
		case catalogue.Category:
			last := 0.0
			for _, level := range c.Levels[1:] {
				u := rng.NormFloat64()
				utilities[c.Column+"="+level] = u
				last -= u
			}
			utilities[c.Column+"="+c.Levels[0]] = last
		default:
		}
	}
	return utilities
}

// ReadProfiles reads attributes and levels from YAML.
func ReadProfiles(tb testing.TB, text string) *product.Profiles {
	tb.Helper()
	p, err := product.Read(strings.NewReader(text), "cameras.yaml", catalogue.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// EncodeProfiles learns the encoding of profiles and applies it.
func EncodeProfiles(tb testing.TB, p *product.Profiles) (*encode.Encoding, *choice.Catalogue) {
	tb.Helper()
	e, err := product.NewEncoding(p)
	if err != nil {
		tb.Fatal(err)
	}
	c, err := p.Encode(e)
	if err != nil {
		tb.Fatal(err)
	}
	return e, c
}

// Cameras are three attributes, with forbidden combinations.
const Cameras = `
price: [10, 12, 15]
brand: [acme, zenith, "no name"]
wifi: [yes, no]
forbidden:
  - {brand: acme, price: [10, 12]}
`
