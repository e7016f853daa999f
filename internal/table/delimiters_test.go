package table_test

import (
	"strings"
	"testing"

	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// TestDelimitersOfLists: below a first line without delimiters, they are punctuation if their numbers
// differ or spaces follow them. Otherwise the rows have too many fields.
func TestDelimitersOfLists(t *testing.T) {
	for text, want := range map[string]int{
		"headline\nRent, or buy?\nSave; spend, or both\nWait\n": 1,
		"headline\nOne, two; three\nFour, five; six\n":          1,
		"price\n2,5\n1\n":                        1,
		"\nheadline\n\nA, b\nC, d":               1,
		"headline\n\"A, b\"\nC\n":                1,
		"headline\na\tb, c\nd;e, f\n":            1,
		"list\na, b; c\td|e\nf\n":                2, // a delimiter is needed that no line has
		"Prices of spring\nid,price\na,1\nb,2\n": 2,
		"id\na,1\nb,2\n":                         2,
		"id, price\na, 1\n":                      2,
		"a;b\n1;2,5\n":                           2,
	} {
		blocks, err := table.NewBlocks(strings.NewReader(text), "t.csv")
		testsupport.NoError(t, err)
		most := len(blocks.Header())
		for rows := blocks.First(); rows.Next(); {
			most = max(most, rows.Len())
		}
		if most != want {
			t.Errorf("%q has %d columns, not %d", text, most, want)
		}
	}
}
