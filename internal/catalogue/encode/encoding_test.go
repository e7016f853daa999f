package encode_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"bestpick/internal/approx"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/testsupport"
)

func TestEncodingByHand(t *testing.T) {
	e, c := cataloguetest.EncodeTable(t, cataloguetest.Phones())
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
	e, c := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.IDs("a", "b", "c", "d"),
		cataloguetest.Booleans("wifi", "yes", "No", "TRUE", "0")))
	approx.Equal(t, "ball", e.Ball, 1, 1e-6)
	for i, want := range []float64{1, -1, 1, -1} {
		approx.EqualSlices(t, c.ID(i), c.Arm(i), []float64{want}, 1e-6)
	}
}

// TestEveryArmIsInTheBall: no arm is longer than one, and one is as long.
func TestEveryArmIsInTheBall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c := cataloguetest.EncodeTable(t, cataloguetest.DrawTable(t))
		longest := 0.0
		for i := range c.Len() {
			longest = max(longest, math.Sqrt(floats.Dot(c.Arm(i), c.Arm(i))))
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

func TestMistakesAreNamed(t *testing.T) {
	study, _ := cataloguetest.EncodeTable(t, cataloguetest.Phones())
	vectors, _ := cataloguetest.EncodeTable(t,
		cataloguetest.TableOf(cataloguetest.IDs("a", "b"), cataloguetest.Embedding("e", 2, 1, 2, 3, 4)))
	booleanStudy, _ := cataloguetest.EncodeTable(t,
		cataloguetest.TableOf(cataloguetest.IDs("a", "b"), cataloguetest.Booleans("wifi", "yes", "no")))
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		e    *encode.Encoding // nil: a new one is to be learned
		arms *catalogue.Table
		says []string
	}{
		{"level", study, &catalogue.Table{Source: "new.csv", Lines: []int32{2, 9}, Columns: []catalogue.Column{
			cataloguetest.IDs("x", "y"), cataloguetest.Numbers("price", 1, 2), cataloguetest.Categories("brand", "acme", "umbrella"),
		}}, []string{`new.csv:9: column "brand": "umbrella" is a level that no arm of the study has`}},
		{
			"column", study, cataloguetest.TableOf(cataloguetest.IDs("x", "y"), cataloguetest.Numbers("price", 1, 2)),
			[]string{`arms.csv: column "brand": there is no such column`},
		},
		{"all of them", study, cataloguetest.TableOf(cataloguetest.IDs("x", "x", ""),
			cataloguetest.Numbers("price", math.NaN(), inf, 1), cataloguetest.Categories("brand", "q", "acme", "r")), []string{
			`arms.csv: column "id": two arms have the same id`, `arms.csv:3: column "id": the arm has no id`,
			`arms.csv:1: column "price": the value is missing`, `arms.csv:2: column "price": +Inf is not a finite number`,
			`arms.csv:1: column "brand": "q" is a level that no arm of the study has (and 1 more)`,
		}},
		{"line break", study, cataloguetest.TableOf(cataloguetest.IDs("x\ny", "z"), cataloguetest.Numbers("price", 1, 2),
			cataloguetest.Categories("brand", "hal", "hal")), []string{`the id "x\ny" has a line break`}},
		{
			"kind", study, cataloguetest.TableOf(cataloguetest.IDs("x", "y"), cataloguetest.Categories("price", "1", "2"),
				cataloguetest.Categories("brand", "hal", "hal")),
			[]string{"it is of kind category, and for the arms of the study it is number"},
		},
		{"far away", study, cataloguetest.TableOf(cataloguetest.IDs("x", "y"), cataloguetest.Numbers("price", 1, 1e300),
			cataloguetest.Categories("brand", "hal", "hal")), []string{`arms.csv:2: feature "price" is too far`}},
		{
			"width", vectors, cataloguetest.TableOf(cataloguetest.IDs("x", "y"), cataloguetest.Embedding("e", 3, 1, 2, 3, 4, 5, 6)),
			[]string{"the vectors have 3 numbers, those of the study have 2"},
		},
		{
			"vector", vectors, cataloguetest.TableOf(cataloguetest.IDs("x", "y"), cataloguetest.Embedding("e", 2, 1, 2, 3, float32(inf))),
			[]string{`arms.csv:2: column "e": number 2 of the vector is +Inf`},
		},
		{
			"boolean", booleanStudy, cataloguetest.TableOf(cataloguetest.IDs("x", "y", "z"),
				cataloguetest.Booleans("wifi", "yes", "maybe", "")),
			[]string{`arms.csv:2: column "wifi": "maybe" is neither true nor false`, "arms.csv:3: column \"wifi\": the value is missing"},
		},

		{
			"one arm", nil, cataloguetest.TableOf(cataloguetest.IDs("x"), cataloguetest.Numbers("price", 1)),
			[]string{"at least two arms are needed, there are 1"},
		},
		{"learned numbers", nil, cataloguetest.TableOf(cataloguetest.Numbers("price", 1, 2, inf)), []string{"arms.csv:3"}},
		{"too large", nil, cataloguetest.TableOf(cataloguetest.Numbers("price", -1e308, 1e308)), []string{"are too large"}},
		{"missing level", study, cataloguetest.TableOf(cataloguetest.IDs("x"), cataloguetest.Numbers("price", 1),
			cataloguetest.Categories("brand", "NA")), []string{`arms.csv:1: column "brand": the value is missing`}},
		{"no text", nil, cataloguetest.TableOf(cataloguetest.Categories("brand", "a", "b\xff")), []string{`"b\xff" is not UTF-8 text`}},
		{"equal names", nil, cataloguetest.TableOf(cataloguetest.Categories("a", "b=c", "d"),
			cataloguetest.Categories("a=b", "c", "d", "d")), []string{`two columns or levels are called "a=b=c"`}},
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
	if _, err := encode.NewEncoding(cataloguetest.Phones(), -1); err == nil {
		t.Error("a negative number of dimensions was taken")
	}
}

func TestTooManyLevels(t *testing.T) {
	var levels []string
	for i := range 3000 {
		levels = append(levels, fmt.Sprint("name ", i))
	}
	_, err := encode.NewEncoding(cataloguetest.TableOf(cataloguetest.Categories("name", levels...)), 0)
	if err == nil || !strings.Contains(err.Error(), `column "name": it becomes 2999 of 2999 features`) {
		t.Errorf("got %v", err)
	}
}

// TestArmsWithoutIDs are called by their numbers.
func TestArmsWithoutIDs(t *testing.T) {
	_, c := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("price", 1, 2, 4)))
	if c.ID(0) != "1" || c.ID(2) != "3" {
		t.Errorf("ids %q and %q", c.ID(0), c.ID(2))
	}
}

// TestEncodingIsStable: an arm's features do not depend on the arms it comes with, nor on
// whether the encoding was saved in between.
func TestEncodingIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arms := cataloguetest.DrawTable(t)
		e, c := cataloguetest.EncodeTable(t, arms)
		if again, _ := cataloguetest.EncodeTable(t, arms); !reflect.DeepEqual(again, e) {
			t.Error("learned again, the encoding is another")
		}
		text, err := json.Marshal(e)
		testsupport.NoError(t, err)
		var loaded encode.Encoding
		testsupport.NoError(t, json.Unmarshal(text, &loaded))
		row := rapid.IntRange(0, arms.Len()-1).Draw(t, "row")
		cells, err := loaded.Cells(cataloguetest.OneArm(arms, row))
		testsupport.NoError(t, err)
		for k, x := range c.Arm(row) {
			if float64(cells[k]) != x {
				t.Errorf("feature %s is %v alone and %v among others", c.Features()[k], cells[k], x)
			}
		}
	})
}

func TestKindsAreThoseNeeded(t *testing.T) {
	e, _ := cataloguetest.EncodeTable(t, cataloguetest.TableOf(cataloguetest.Numbers("l", 1, 2, 4),
		cataloguetest.Numbers("ml", 1000, 2000, 4000), cataloguetest.Booleans("wifi", "no", "yes", "no"),
		cataloguetest.Numbers("same", 1, 1, 1)))
	if got := fmt.Sprint(e.Kinds()); got != "map[l:number wifi:boolean]" {
		t.Errorf("kinds %v", got)
	}
	if _, err := e.Encode(cataloguetest.TableOf(cataloguetest.Numbers("l", 1, 2),
		cataloguetest.Booleans("wifi", "no", "yes"))); err != nil {
		t.Errorf("a column that is left out is asked for: %v", err)
	}
}

// BenchmarkEncode learns the encoding of 100,000 arms with 32 numbers and applies it. The
// ratios are to copying all cells once, in order.
func BenchmarkEncode(b *testing.B) {
	const n, d = 100_000, 32
	rng := rand.New(rand.NewPCG(1, 2))
	arms := cataloguetest.TableOf()
	for k := range d {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		arms.Columns = append(arms.Columns, cataloguetest.Numbers(fmt.Sprint("x", k), x...))
	}
	cells, copies := make([]float32, n*d), make([]float32, n*d)
	var learning, encoding, copying time.Duration
	for b.Loop() {
		start := time.Now()
		copy(copies, cells)
		copied := time.Now()
		e, err := encode.NewEncoding(arms, 0)
		testsupport.NoError(b, err)
		learned := time.Now()
		if _, err := e.Cells(arms); err != nil {
			b.Fatal(err)
		}
		copying += copied.Sub(start)
		learning += learned.Sub(copied)
		encoding += time.Since(learned)
	}
	b.ReportMetric(float64(learning)/float64(copying), "learning/copy")
	b.ReportMetric(float64(encoding)/float64(copying), "encoding/copy")
}
