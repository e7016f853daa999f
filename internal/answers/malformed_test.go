package answers_test

import (
	"errors"
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
	"bestpick/internal/catalogue/cataloguetest"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// TestMalformed: one line says what is wrong and where.
func TestMalformed(t *testing.T) {
	const header = "shown_1,shown_2,pick_1\n"
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "", "a.csv: the file is empty"},
		{"a.csv", header, "a.csv: there are no rows below the header"},
		{"a.csv", "shown_1,pick_1\na,a\n", `a.csv:1: column "shown_2": there is no such column; there are shown_1, pick_1`},
		{
			"a.csv", "shown_1,shown_2,shown_4,pick_1\n",
			`a.csv:1: column "shown_3": there is no such column; there are shown_1, shown_2, shown_4, pick_1`,
		},
		{"a.csv", "shown_1,shown_2\na,b\n", `a.csv:1: column "pick_1": there is no such column; there are shown_1, shown_2`},
		{"a.csv", "shown_1,shown_2,pick_1,shown_2\n", `a.csv:1: column "shown_2": there are two columns of that name`},
		{
			"a.csv", "shown_1,shown_2,pick_1,price\n",
			`a.csv:1: column "price": answers have no such column; there may be shown, picks, respondent, segment, asked, at, judge, rationale and metadata`,
		},
		{
			"a.csv", "shown_1,shown_2,pick_1,shown_01\n",
			`a.csv:1: column "shown_01": answers have no such column; there may be shown, picks, respondent, segment, asked, at, judge, rationale and metadata`,
		},
		{"a.csv", header + "a,b,a\n\na,b\n", "a.csv:4: the row has 2 fields, the header has 3"},
		{"a.csv", header + "a,,a\n", `a.csv:2: column "shown_2": two arms or more must be shown, not 1`},
		{"a.csv", header + ",b,b\n", `a.csv:2: column "shown_1": the value is missing`},
		{"a.csv", header + "a,a,a\n", `a.csv:2: column "shown_2": "a" is shown twice`},
		{"a.csv", header + "a,b,\n", `a.csv:2: column "pick_1": nothing is picked`},
		{"a.csv", header + "\"a\nb\",b,c\n", `a.csv:3: column "pick_1": "c" is picked, but not shown`},
		{"a.csv", "shown_1,shown_2,shown_3,pick_1,pick_2\na,b,c,a,a\n", `a.csv:2: column "pick_2": "a" is picked twice`},
		{"a.csv", "shown_1,shown_2,pick_1,pick_2\na,b,a,b\n", `a.csv:2: column "pick_2": all 2 arms are picked; the last is no choice`},
		{
			"a.csv", "shown_1,shown_2,pick_1,at\na,b,a,1/2/2026\n",
			`a.csv:2: column "at": "1/2/2026" is not a time like 2026-01-31T12:00:00Z`,
		},
		{
			"a.csv", "shown_1,shown_2,pick_1,asked\na,b,a,0000-01-01T00:00:00Z\n",
			`a.csv:2: column "asked": "0000-01-01T00:00:00Z" is not a time like 2026-01-31T12:00:00Z`,
		},
		{"a.csv", header[:len(header)-1] + ",\na,b,a,x\n", "a.csv:2: column 4 has a value, but no name"},
		{"a.csv", header + "äöü,\xff,a\n", `a.csv:2: column "shown_2": the text is not UTF-8; save the file as UTF-8`},
		{"a.csv", header + "a,b,a\n" + long + ",b,b\n", "a.csv:3: the row is longer than 1 MB"},
		{"a.csv", header + "a,b,a\n\"a," + strings.Repeat("b\n", 1<<20), "a.csv:3: a quoted field is not closed as it should be"},
		{"a.csv", "\n" + long + "x", "a.csv:2: the row is longer than 1 MB"},
		{"a.csv", header + strings.Repeat("a,b,a\n", most+1), "a.csv:1002: the file has more than 1,000 rows"},
		{"a.csv", "PK\x03\x04", "a.csv: the file is a ZIP archive: a spreadsheet must be saved as CSV"},
		{"a.csv", "a\x00", "a.csv: the file is not text"},
		{"a.csv", "\x1f\x8bx", "a.csv: the compressed data end too early"},

		{"a.jsonl", "\n", "a.jsonl: there are no objects in the file"},
		{"a.json", "[]", "a.json: there are no objects in the file"},
		{"a.jsonl", "1", `a.jsonl:1: an answer is an object in braces, not "1"`},
		{"a.jsonl", "{}", `a.jsonl:1: column "shown": two arms or more must be shown, not 0`},
		{"a.jsonl", "\n{\"shown\":[\"a\",\"b\"]}", `a.jsonl:2: column "picks": nothing is picked`},
		{"a.jsonl", `{"shown":"a"}`, `a.jsonl:1: column "shown": a list of ids is needed, not "\"a\""`},
		{"a.jsonl", `{"shown":["a",null],"picks":["a"]}`, `a.jsonl:1: column "shown": the value is missing`},
		{"a.jsonl", `{"shown":["a",1.5],"picks":["a"]}`, `a.jsonl:1: column "shown": a text is needed, not "1.5"`},
		{"a.jsonl", `{"respondent":{}}`, `a.jsonl:1: column "respondent": a text is needed, not "{}"`},
		{"a.jsonl", `{"shown":["a","b"],"picks":["a"],"segment":"\u0000"}`, `a.jsonl:1: column "segment": the text has a zero byte`},
		{"a.jsonl", `{"at":5}`, `a.jsonl:1: column "at": "5" is not a time like 2026-01-31T12:00:00Z`},
		{"a.jsonl", `{"price":5}`, `a.jsonl:1: column "price": answers have no such column; there may be shown, picks, respondent, segment, asked, at, judge, rationale and metadata`},
		{"a.jsonl", `{"at":"","at":""}`, `a.jsonl:1: column "at": the name is there twice`},
		{
			"a.jsonl", "{\"shown\":[\"a\",\"b\"],\"picks\":[\"a\"]}\n{\"shown\":[\"äöü\xff\"]}",
			`a.jsonl:2: the text is not UTF-8; save the file as UTF-8`,
		},
		{"a.jsonl", "{\"shown\":[\"a\",\"b\"],\"picks\":[\"a\"]}\n\n{\"shown\":", "a.jsonl:3: the JSON ends too early"},
		{"a.jsonl", "{\"shown\":[\"a\",\"b\"],\"picks\":[\"a\"]}\n{shown:1}", "a.jsonl:2: this is not JSON: invalid character 's'"},
		{
			"a.json", "[{\"shown\":[\"a\",\"b\"],\"picks\":[\"a\"]},\n{]",
			"a.json:2: this is not JSON: invalid character ']' looking for beginning of object key string",
		},
		{"a.json", "[{\"shown\":[\"a\",\"b\"],\"picks\":[\"a\"]}", "a.json:1: the JSON ends too early"},
		{"a.json", "[{\"shown\":[\"a\",\"b\"],\"picks\":[\"a\"]}]\n1", "a.json:2: the file goes on behind the list"},
		{"a.jsonl", "\n\n{\"respondent\":\"" + long + "\"}", "a.jsonl:3: the row is longer than 1 MB"},
		{
			"a.jsonl", strings.Repeat("{\"shown\":[\"a\",\"b\"],\"picks\":[\"a\"]}\n", most+1),
			"a.jsonl:1001: the file has more than 1,000 rows",
		},

		{"a.parquet", "PAR1", "a.parquet: Parquet files of answers cannot be imported; answers must be CSV or JSON Lines"},
		{"a.parquet.gz", "shown_1", "a.parquet.gz: Parquet files of answers cannot be imported; answers must be CSV or JSON Lines"},
		{"a", "PAR1\x00\x00\x00\x00PAR1", "a: Parquet files of answers cannot be imported; answers must be CSV or JSON Lines"},
	} {
		t.Run(c.want, func(t *testing.T) {
			_, err := read(c.text, c.name)
			if err == nil || err.Error() != c.want {
				t.Errorf("%v", err)
			}
			if _, placed := errors.AsType[*table.Error](err); !placed {
				t.Errorf("%T", err)
			}
		})
	}
}

// TestArmProblem: callers that know the arms and segments can report unknown ones with their place.
func TestArmProblem(t *testing.T) {
	row := answers.Row{Kind: "answered", Shown: []string{"a", "b"}, Picks: []string{"b"}}
	for format, want := range map[table.Format]string{
		table.CSV:       `a:2: column "shown_2": there is no arm "b"`,
		table.JSONLines: `a:1: column "shown": there is no arm "b"`,
	} {
		reader, err := answers.NewReader(strings.NewReader(written(t, format, 2, 1, row, row)), "a", limits())
		testsupport.NoError(t, err)
		for row, err := range reader.Rows() {
			testsupport.NoError(t, err)
			if err := reader.ArmProblem(1, table.Problemf("", "there is no arm %q", row.Shown[1])); err.Error() != want {
				t.Error(err)
			}
			place, _, _ := strings.Cut(want, " column")
			if err := reader.ColumnProblem("segment",
				table.Problemf("", "there is no segment %q", "x")); err.Error() != place+` column "segment": there is no segment "x"` {
				t.Error(err)
			}
			break
		}
	}
}

// sound fails where what is read is neither answers that are whole nor one line that names the file.
// Answers are the same once they are written and read again.
func sound(t *testing.T, text []byte, name string, format table.Format) {
	t.Helper()
	rows, err := read(string(text), name)
	if err != nil {
		if at, placed := errors.AsType[*table.Error](err); !placed || at.File != name || !at.Exists() ||
			strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q", err)
		}
		return
	}
	for _, row := range rows {
		if len(row.Shown) < 2 || len(row.Picks) < 1 || len(row.Picks) >= len(row.Shown) {
			t.Fatalf("%+v", row)
		}
		for _, id := range row.Picks {
			if !slices.Contains(row.Shown, id) {
				t.Fatalf("%+v", row)
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	again, err := read(written(t, format, 1000, 999, rows...), "again."+string(format))
	if err != nil || len(again) != len(rows) {
		t.Fatal(err)
	}
	for i := range rows {
		if !slices.Equal(rows[i].Shown, again[i].Shown) || !slices.Equal(rows[i].Picks, again[i].Picks) ||
			!rows[i].At.Equal(again[i].At) {
			t.Fatalf("%+v and %+v", rows[i], again[i])
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{
		written(f, table.CSV, 4, 2, small()...), "shown_1;shown_2;pick_1;\n' =a;b;b;\n",
		"shown_2\tshown_1\tpick_1\tat\n\"a\r\nb\"\tb\tb\t2026-01-02T03:04:05Z\n", "\x1f\x8b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "a.csv", table.CSV) })
}

func FuzzReadJSONLines(f *testing.F) {
	for _, seed := range []string{
		written(f, table.JSONLines, 4, 2, small()...), `[{"shown":[1,2],"picks":[2]}]`,
		`{"shown":["a","b"],"picks":["b"],"at":"2026-01-02T03:04:05+01:00"}`, "[", "{}", "[{},",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "a.jsonl", table.JSONLines) })
}

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

// TestWrittenAgain: answers that R or pandas wrote again are the same: with row numbers, NA, and 3.0 for 3, or in flat Parquet
// and workbooks.
func TestWrittenAgain(t *testing.T) {
	type flat struct {
		Index int64   `parquet:"__index_level_0__"`
		One   string  `parquet:"shown_1"`
		Two   string  `parquet:"shown_2"`
		Three *string `parquet:"shown_3"`
		Pick  *string `parquet:"pick_1"`
		Kind  string  `parquet:"kind"`
		At    string  `parquet:"at"`
	}
	ten, two := "10", "2"
	at := "2026-01-31 12:00:00+00:00"
	want := []answers.Row{
		{Shown: []string{"1", "2", "10"}, Picks: []string{"10"}, At: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)},
		{Shown: []string{"1", "2"}, Picks: []string{"2"}, At: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)},
	}
	const header = "shown_1,shown_2,shown_3,pick_1,kind,at\n"
	for what, file := range map[string]string{
		"pandas": "," + header + "0,1,2,10.0,10.0,answered," + at + "\n1,1,2,,2.0,answered," + at + "\n2,1,2,,,skipped," + at + "\n",
		"R": `"",` + header + "1,1,2,10,10,answered,2026-01-31T12:00:00Z\n2,1,2,NA,2,answered," + at +
			"\n3,1,2,NA,NA,skipped,NA\n",
		"Parquet": cataloguetest.ParquetFile(t, []flat{
			{0, "1", "2", &ten, &ten, "answered", at}, {1, "1", "2", nil, &two, "answered", at}, {2, "1", "2", nil, nil, "skipped", at},
		}),
		"workbook": cataloguetest.WorkbookFile(t, [][]any{
			{nil, "shown_1", "shown_2", "shown_3", "pick_1", "kind", "at"},
			{0, 1, 2, 10, 10, "answered", at},
			{1, 1, 2, nil, 2, "answered", at},
			{2, 1, 2, nil, nil, "skipped", at},
		}),
	} {
		reader, err := answers.NewReader(strings.NewReader(file), "answers", table.Limits{})
		testsupport.NoError(t, err)
		var got []answers.Row
		for row, err := range reader.Rows() {
			testsupport.NoError(t, err)
			got = append(got, row)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
}
