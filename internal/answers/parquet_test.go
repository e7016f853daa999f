package answers_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"bestpick/internal/answers"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// A parquetRow is a row as other programs read it.
type parquetRow struct {
	Number     int64      `parquet:"number"`
	Kind       string     `parquet:"kind"`
	Question   int64      `parquet:"question"`
	Plan       int64      `parquet:"plan"`
	Respondent string     `parquet:"respondent"`
	Segment    string     `parquet:"segment"`
	Asked      *time.Time `parquet:"asked,optional,timestamp(microsecond)"`
	At         *time.Time `parquet:"at,optional,timestamp(microsecond)"`
	Shown      []string   `parquet:"shown,list"`
	Picks      []string   `parquet:"picks,list"`
}

// fromParquet returns the rows of a Parquet file.
func fromParquet(t *testing.T, file string) (rows []answers.Row) {
	t.Helper()
	written, err := parquet.Read[parquetRow](strings.NewReader(file), int64(len(file)))
	testsupport.NoError(t, err)
	at := func(t *time.Time) time.Time {
		if t == nil {
			return time.Time{}
		}
		return t.UTC()
	}
	for _, r := range written {
		rows = append(rows, answers.Row{
			Number: r.Number, Kind: r.Kind, Question: r.Question, Plan: int(r.Plan), Respondent: r.Respondent, Segment: r.Segment,
			Asked: at(r.Asked), At: at(r.At), Shown: r.Shown, Picks: r.Picks,
		})
	}
	return rows
}

// TestWriteParquet: other programs read all columns as they were, times in microseconds.
func TestWriteParquet(t *testing.T) {
	want := small()
	for i := range want {
		want[i].Asked, want[i].At = want[i].Asked.UTC().Truncate(time.Microsecond), want[i].At.UTC().Truncate(time.Microsecond)
	}
	golden, err := os.ReadFile(filepath.Join("testdata", "answers.parquet"))
	testsupport.NoError(t, err)
	for what, file := range map[string]string{"written": written(t, table.Parquet, 4, 2, small()...), "golden": string(golden)} {
		if diff := cmp.Diff(want, fromParquet(t, file), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}

// TestGroups: rows are flushed in groups, and other programs read all of them.
func TestGroups(t *testing.T) {
	const rows, group = 1<<16 + 3, 1 << 16
	row := answers.Row{Kind: "answered", Shown: []string{"a", "b"}, Picks: []string{"b"}}
	file := written(t, table.Parquet, 2, 1, slices.Repeat([]answers.Row{row}, rows)...)
	opened, err := parquet.OpenFile(strings.NewReader(file), int64(len(file)))
	testsupport.NoError(t, err)
	if groups := opened.RowGroups(); len(groups) != 2 || groups[0].NumRows() != group || groups[1].NumRows() != rows-group {
		t.Errorf("%d groups", len(groups))
	}
	for _, got := range fromParquet(t, file) {
		if diff := cmp.Diff(row, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestReadParquet: files of the user's own disk come back, with and without notes; damaged ones are one error.
func TestReadParquet(t *testing.T) {
	all := func(file string) (rows []answers.Row, err error) {
		reader, err := answers.NewReader(strings.NewReader(file), "a.parquet", table.Limits{})
		if err != nil {
			return nil, err
		}
		for row, err := range reader.Rows(answers.None, answers.Tie) {
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
	rows := small()
	want, err := read(written(t, table.JSONLines, 4, 2, rows...), "a.jsonl")
	testsupport.NoError(t, err)
	file := written(t, table.Parquet, 4, 2, rows...)
	got, err := all(file)
	got = slices.DeleteFunc(got, func(row answers.Row) bool { return row.Kind != "" })
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, damaged := range []string{file[:len(file)/2], "PAR1", "PAR1" + strings.Repeat("\x00", 100) + file[len(file)-300:]} {
		if _, err := all(damaged); err == nil || !strings.HasPrefix(err.Error(), "a.parquet: the Parquet file ") {
			t.Error(err)
		}
	}
}
