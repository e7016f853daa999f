package table_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/internal/table"
)

// equalsStrconv fails where a text is another number than strconv says.
func equalsStrconv(t *testing.T, text string) {
	t.Helper()
	x, ok := table.ParseNumber(text)
	again, okAgain := table.ParseNumber([]byte(text))
	want, err := strconv.ParseFloat(text, 64)
	finite := err == nil && !math.IsNaN(want) && !math.IsInf(want, 0)
	if ok != finite || okAgain != finite {
		t.Fatalf("%q: %v, %v, but strconv %v", text, ok, okAgain, err)
	}
	if finite && (math.Float64bits(x) != math.Float64bits(want) || math.Float64bits(again) != math.Float64bits(want)) {
		t.Fatalf("%q: %v, %v, but strconv %v", text, x, again, want)
	}
}

func TestParseNumber(t *testing.T) {
	for _, text := range []string{
		"", "-", "+", ".", "-.", "0", "-0", "+1", "1.", ".5", "1..2", "1e", "1e+", "1e5", "1E-5", "1e22", "1e23", "1e022",
		"9007199254740991", "9007199254740993", "18446744073709551616", "99999999999999999999e-20", "0x1p-2", "1_000",
		"inf", "NaN", "1e400", "1,5", "0.000000000000000000000000001", "1e-400", " 1", "1e5x",
	} {
		equalsStrconv(t, text)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for range 50_000 {
		x := random.NormFloat64() * math.Pow(10, float64(random.IntN(60)-30))
		equalsStrconv(t, strconv.FormatFloat(x, []byte("efg")[random.IntN(3)], random.IntN(20)-1, 64))
		var text strings.Builder
		for range random.IntN(8) {
			text.WriteByte("0123456789.-+eE"[random.IntN(15)])
		}
		equalsStrconv(t, text.String())
	}
}

func TestNoNumber(t *testing.T) {
	for text, want := range map[string]string{
		"abc":   `"abc" is not a number`,
		"":      "the value is missing",
		"NaN":   `the value is missing ("NaN")`,
		"Inf":   `"Inf" is not a finite number`,
		"1e999": `"1e999" is not a finite number`,
		"1,5":   `"1,5" is not a number; decimals take a point`,
		"1,234": `"1,234" is not a number; decimals take a point, and nothing goes between thousands`,

		"1.234,50":   `"1.234,50" is not a number; decimals take a point, and nothing goes between thousands`,
		"-1,234,567": `"-1,234,567" is not a number; decimals take a point, and nothing goes between thousands`,
	} {
		if got := table.NoNumber(text).Text; got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestErrorText: the command line sees the place, the flag that avoids the problem, quoted, and similar problems.
func TestErrorText(t *testing.T) {
	problem := table.Problemf("no-number", "%q is not a number", "x").OrAs("category")
	err := &table.Error{File: "a.csv", Line: 3, Column: "US sales", Problem: problem, More: 1200}
	if want := `a.csv:3: column "US sales": "x" is not a number, or --as 'US sales=category' (and 1,200 more)`; err.Error() != want {
		t.Errorf("%s\nnot %s", err, want)
	}
	if err.Code != "no-number" || len(err.Parts) != 1 || err.Parts[0] != "x" || err.Text != `"x" is not a number` {
		t.Errorf("%+v", err.Problem)
	}
}

// TestPlainDecimal: decimals of up to 15 digits without leading zeros are plain, and formatting them gives the text.
func TestPlainDecimal(t *testing.T) {
	form := regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	check := func(text string) error {
		want := form.MatchString(text) && len(strings.NewReplacer("-", "", ".", "").Replace(text)) <= 15
		x, decimals, plain := table.PlainDecimal([]byte(text))
		if plain != want {
			return fmt.Errorf("%q: %v", text, plain)
		}
		if exact, _ := strconv.ParseFloat(text, 64); plain && math.Float64bits(x) != math.Float64bits(exact) {
			return fmt.Errorf("%q is %v", text, x)
		}
		if plain && strconv.FormatFloat(x, 'f', decimals, 64) != text {
			return fmt.Errorf("%q has %d decimals", text, decimals)
		}
		return nil
	}
	for _, text := range []string{
		"", "-", "0", "-0", "00", "0.5", "-0.0", ".5", "5.", "+5", "12.50", "1e5", "1.2.3", "12345678", "1234567 ", "x", "0x1p3",
		"999999999999999", "-99999999999999.9", "9.99999999999999", "1000000000000000", "9.999999999999999", "0.000000000000001",
	} {
		if err := check(text); err != nil {
			t.Error(err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if err := check(rapid.StringMatching(`-?[0-9]{0,9}\.?[0-9e]{0,9}`).Draw(t, "text")); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkParseNumber compares ParseNumber with strconv.ParseFloat on the numbers of
// BenchmarkReadCSV in package read: seven significant digits.
func BenchmarkParseNumber(b *testing.B) {
	const count = 1 << 12
	random := rand.New(rand.NewPCG(1, 1))
	var texts [count][]byte
	for i := range texts {
		texts[i] = strconv.AppendFloat(make([]byte, 0, 32), random.NormFloat64(), 'g', 7, 64)
	}
	b.Run("table", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, ok := table.ParseNumber(texts[i%count]); !ok {
				b.Fatal(texts[i%count])
			}
		}
	})
	b.Run("strconv", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if _, err := strconv.ParseFloat(string(texts[i%count]), 64); err != nil {
				b.Fatal(err)
			}
		}
	})
}
