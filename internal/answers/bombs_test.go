//go:build !race

package answers_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"bestpick/internal/answers"
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/table"
)

// TestBombs: a file that is much larger inside is rejected with one line and little memory.
func TestBombs(t *testing.T) {
	const most, unpacked, longRow = 64 << 20, 240 << 20, 200 << 20
	const rows, row, header, object = "the file has more than 100,000 rows", "the row is longer than 1 MB",
		"shown_1,shown_2,pick_1\n", `{"shown":["a","b"],"picks":["a"]`
	text := func(text string) *io.SectionReader {
		return io.NewSectionReader(strings.NewReader(text), 0, int64(len(text)))
	}
	endless := func(start string) *io.SectionReader {
		return io.NewSectionReader(cataloguetest.LongFile{Start: start, Fill: 'x', Size: longRow}, 0, longRow)
	}
	for _, c := range []struct {
		name string
		file *io.SectionReader
		want string
	}{
		{
			"packed.parquet", text(cataloguetest.GzipBomb("PAR1", "\x00", unpacked)),
			"packed.parquet: Parquet files of answers cannot be imported; answers must be CSV or JSON Lines",
		},
		{"rows.csv.gz", text(cataloguetest.GzipBomb(header, "a,b,a\n", unpacked)), "rows.csv.gz:100002: " + rows},
		{"row.csv.gz", text(cataloguetest.GzipBomb(header+"a,b,", "a", longRow)), "row.csv.gz:2: " + row},
		{
			"fields.csv.gz", text(cataloguetest.GzipBomb(header, "a,", longRow)),
			"fields.csv.gz:2: the file has more than 10,000 columns",
		},
		{
			"header.csv.gz", text(cataloguetest.GzipBomb("", "shown_1,", longRow)),
			"header.csv.gz:1: the file has more than 10,000 columns",
		},
		{"rows.jsonl.gz", text(cataloguetest.GzipBomb("", object+"}\n", unpacked)), "rows.jsonl.gz:100001: " + rows},
		{"row.jsonl.gz", text(cataloguetest.GzipBomb(object+`,"respondent":"`, "x", longRow)), "row.jsonl.gz:1: " + row},
		{"ids.jsonl.gz", text(cataloguetest.GzipBomb(`{"shown":["a"`, `,"a"`, longRow)), "ids.jsonl.gz:1: " + row},
		{"row.json.gz", text(cataloguetest.GzipBomb("["+object+`,"respondent":"`, "x", longRow)), "row.json.gz:1: " + row},
		{"row.csv", endless(header + "a,b,"), "row.csv:2: " + row},
		{"row.jsonl", endless(object + `,"respondent":"`), "row.jsonl:1: " + row},
	} {
		var err error
		peak := cataloguetest.PeakMemory(func() { err = readThrough(c.file, c.name) })
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %.300v\nwant %s", c.name, err, c.want)
		}
		if _, placed := errors.AsType[*table.Error](err); err != nil && !placed {
			t.Errorf("%s: %T", c.name, err)
		}
		if peak > most {
			t.Errorf("%s: %q takes %d MB", c.name, c.want, peak>>20)
		}
	}
}

// readThrough reads all answers of a file within limits like those of a server, and keeps none.
func readThrough(file io.Reader, name string) error {
	reader, err := answers.NewReader(file, name, table.Limits{Rows: 100_000, Columns: 10_000, RowBytes: 1 << 20, Bytes: 256 << 20})
	if err != nil {
		return err
	}
	for _, err := range reader.Rows() {
		if err != nil {
			return err
		}
	}
	return nil
}
