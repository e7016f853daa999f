package archive_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// drawNumber draws a number as people and programs write it.
func drawNumber(t *rapid.T) string {
	x := rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	return rapid.OneOf(
		rapid.SampledFrom([]string{"0", "-0", "-0.00", "007", "+5", ".5", "5.", "1E5", "1e5", "1e+05", "0.1e1", "1e999", "0x1p-2", "12.50", "1_0", "9007199254740993", "0.30000000000000004", "1e22", "100000000000000000000000", "4.9e-324", "0.000000000000000000000000000000000000000000000001"}),
		rapid.Just(fmt.Sprint(x)),
		rapid.Just(strconv.FormatFloat(x, 'f', rapid.IntRange(0, 20).Draw(t, "decimals"), 64)),
		rapid.Just(strconv.FormatFloat(x, 'e', rapid.IntRange(0, 200).Draw(t, "decimals"), 64)),
		rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,20})?`),
		rapid.StringMatching(`-?[0-9](\.[0-9]{1,20})?e[+-]?[0-9]{1,2}`),
	).Filter(func(text string) bool { _, ok := table.ParseNumber(text); return ok }).Draw(t, "text")
}

// TestNumbersAreKeptAsWritten in CSV and JSON, and so are they once they were saved.
func TestNumbersAreKeptAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := []string{"1.0", "2.00"}
		for range rapid.IntRange(1, 10).Draw(t, "arms") {
			texts = append(texts, drawNumber(t))
		}
		var csv, lines strings.Builder
		csv.WriteString("id,x,y\n")
		for i, text := range texts {
			fmt.Fprintf(&csv, "a%d,%s,%d\n", i, text, i)
			fmt.Fprintf(&lines, `{"id":"a%d","x":%q,"y":%d}`+"\n", i, text, i)
		}
		for name, file := range map[string]string{"arms.csv": csv.String(), "arms.jsonl": lines.String()} {
			arms, err := read.Table(strings.NewReader(file), name, catalogue.Options{})
			testsupport.NoError(t, err)
			for i, text := range texts {
				if got := arms.Column("x").Text(i); got != text {
					t.Errorf("%s: %q was %q", name, got, text)
				}
			}
			encoded, err := archive.Encode(arms, 0)
			if err != nil {
				continue // numbers that are too far apart
			}
			loaded, err := load(save(t, &encoded.Catalogue))
			testsupport.NoError(t, err)
			for i, text := range texts {
				if got := loaded.Card(i).Attributes[0]; got.Name != "x" || got.Value != text {
					t.Errorf("%s: %q was %q", name, got, text)
				}
			}
		}
	})
}

// TestNumbersOfManyBlocks: texts stay with their rows where a file is read in several parts.
func TestNumbersOfManyBlocks(t *testing.T) {
	const rows = 400_000 // a block has 4 MB
	var csv strings.Builder
	csv.WriteString("id,x\n")
	write := func(row int) string {
		if row%1000 == 7 {
			return fmt.Sprintf("+%d", row)
		}
		return strconv.FormatFloat(float64(row)/8, 'f', row%4+3, 64)
	}
	for row := range rows {
		fmt.Fprintf(&csv, "a%d,%s\n", row, write(row))
	}
	arms, err := read.Table(strings.NewReader(csv.String()), "arms.csv", catalogue.Options{})
	testsupport.NoError(t, err)
	x := arms.Column("x")
	for row := range rows {
		if got := x.Text(row); got != write(row) {
			t.Fatalf("row %d is %q, it was %q", row, got, write(row))
		}
	}
}
