package answers_test

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"bestpick/internal/answers"
	"bestpick/internal/table"
	"bestpick/internal/testsupport"
)

// formats are those that are written, readable those that are read, too.
var (
	formats  = []table.Format{table.CSV, table.JSONLines, table.Parquet}
	readable = formats[:2]
)

// most is how many rows the tests read.
const most = 1000

// limits are those of the tests.
func limits() table.Limits {
	return table.Limits{Rows: most, Columns: 10_000, RowBytes: 1 << 20, Bytes: 64 << 20}
}

// write writes a file of rows.
func write(w io.Writer, format table.Format, shown, picks int, rows iter.Seq[answers.Row]) error {
	writer := answers.NewWriter(w, format, answers.Layout{Shown: shown, Picks: picks})
	for row := range rows {
		if err := writer.Write(row); err != nil {
			return err
		}
	}
	return writer.Close()
}

func written(t testing.TB, format table.Format, shown, picks int, rows ...answers.Row) string {
	t.Helper()
	var file bytes.Buffer
	testsupport.NoError(t, write(&file, format, shown, picks, slices.Values(rows)))
	return file.String()
}

func read(text, name string) (rows []answers.Row, err error) {
	reader, err := answers.NewReader(strings.NewReader(text), name, limits())
	if err != nil {
		return nil, err
	}
	for row, err := range reader.Rows() {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// asRead is what is read of rows that were written.
func asRead(rows []answers.Row) (want []answers.Row) {
	for _, row := range rows {
		if row.Kind != "answered" && row.Kind != "imported" {
			continue
		}
		row.Number, row.Kind, row.Question, row.Plan = 0, "", 0, 0
		row.Asked, row.At = row.Asked.UTC().Truncate(time.Microsecond), row.At.UTC().Truncate(time.Microsecond)
		want = append(want, row)
	}
	return want
}

// small is a study with every kind of text that has gone wrong somewhere.
func small() []answers.Row {
	asked := time.Date(2026, 11, 15, 12, 0, 0, 123_456_789, time.FixedZone("", 3600))
	return []answers.Row{
		{
			Number: 1, Kind: "answered", Question: 0, Plan: 1, Respondent: "ann", Segment: "new", Asked: asked,
			At: asked.Add(3 * time.Second), Shown: []string{"007", "7", "a,b"}, Picks: []string{"a,b"},
		},
		{
			Number: 2, Kind: "skipped", Question: 1, Plan: 1, Respondent: "=HYPERLINK(1)", Asked: asked, At: asked,
			Shown: []string{"-1", "'-1"},
		},
		{Number: 3, Kind: "lost", Question: 2, Plan: 1, At: asked},
		{
			Number: 4, Kind: "imported", Question: -1, Respondent: "@bob", Shown: []string{"-1", "'-1", "''-1", "say \"hi\""},
			Picks: []string{"'-1", "-1"},
		},
		{
			Number: 5, Kind: "answered", Question: 3, Plan: 2, Respondent: "Zoë\nж", Shown: []string{"two\nlines", "NA"},
			Picks: []string{"NA"},
		},
	}
}

// TestGolden: the files are what they were, and are read as what was written.
func TestGolden(t *testing.T) {
	for _, format := range readable {
		path := filepath.Join("testdata", "answers."+string(format))
		want, err := os.ReadFile(path)
		testsupport.NoError(t, err)
		if diff := cmp.Diff(string(want), written(t, format, 4, 2, small()...)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	for _, format := range readable {
		path := filepath.Join("testdata", "answers."+string(format))
		content, err := os.ReadFile(path)
		testsupport.NoError(t, err)
		var packed bytes.Buffer
		gz := gzip.NewWriter(&packed)
		_, _ = gz.Write(content)
		_ = gz.Close()
		for name, text := range map[string]string{path: string(content), path + ".gz": packed.String(), "upload": string(content)} {
			got, err := read(text, name)
			testsupport.NoError(t, err)
			if diff := cmp.Diff(asRead(small()), got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// TestForeign: files of other programs.
func TestForeign(t *testing.T) {
	want := []answers.Row{
		{Shown: []string{"1", "2"}, Picks: []string{"2"}},
		{Shown: []string{"3", "1"}, Picks: []string{"3"}, Respondent: "5"},
	}
	for name, text := range map[string]string{
		"a.csv":   "\ufeffsep=;\r\nshown_2;shown_1;pick_1;respondent;\r\n2;1; 2 ;;\r\n;;;;\r\n1;3;3;5;\r\n",
		"a.tsv":   "pick_1\tshown_1\tshown_2\tshown_3\trespondent\n2\t1\t2\t\t\n3\t3\t1\t\t5",
		"a.json":  "[{\"shown\":[1,\"2 \"],\"picks\":[2]},\n\n{\"picks\":[\"3\"],\"shown\":[3,1],\"respondent\":5,\"segment\":null,\"kind\":\"\"}]\n",
		"a.jsonl": "{\"shown\":[1,\"2\"],\"picks\":[2]}\r\n\r\n{\"picks\":[\"3\"],\"shown\":[3,1],\"respondent\":\"5\",\"at\":\"\"}",
	} {
		got, err := read(text, name)
		if err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// anyText draws texts that are easily changed on the way.
func anyText() *rapid.Generator[string] {
	const odd = "=+-@'\"\\,;\t\n\r 0１＝éж\u00a0\u2028\U0001f600{}[]ab"
	return rapid.StringOfN(rapid.RuneFrom([]rune(odd)), 0, 6, -1)
}

// joined replaces every CR before LF, which CSV does not keep, also in "\r\r\n".
func joined(text string) string {
	for strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// anyRow draws a row of a study whose questions have at most four arms.
func anyRow(format table.Format) *rapid.Generator[answers.Row] {
	plain := func(text string) string {
		if format == table.CSV {
			text = joined(text)
			if strings.TrimSpace(text) != text {
				return "x" + text + "x"
			}
		}
		return text
	}
	ids := rapid.Map(anyText(), func(text string) string {
		text = strings.TrimSpace(text)
		if format == table.CSV {
			text = joined(text)
		}
		return text
	}).Filter(func(id string) bool { return id != "" })
	times := rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "no time") {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "seconds"),
			rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
	})
	return rapid.Custom(func(t *rapid.T) answers.Row {
		shown := rapid.SliceOfNDistinct(ids, 2, 4, rapid.ID[string]).Draw(t, "shown")
		row := answers.Row{
			Number:   rapid.Int64().Draw(t, "number"),
			Kind:     rapid.SampledFrom([]string{"answered", "imported", "skipped", "=1"}).Draw(t, "kind"),
			Question: rapid.Int64().Draw(t, "question"), Plan: rapid.Int().Draw(t, "plan"),
			Respondent: plain(anyText().Draw(t, "respondent")), Segment: plain(anyText().Draw(t, "segment")),
			Asked: times.Draw(t, "asked"), At: times.Draw(t, "at"), Shown: shown,
		}
		order := rapid.Permutation(shown).Draw(t, "order")
		row.Picks = order[:rapid.IntRange(1, len(shown)-1).Draw(t, "picks")]
		return row
	})
}

// TestRoundTrip: what is written is read as it was.
func TestRoundTrip(t *testing.T) {
	for _, format := range readable {
		t.Run(string(format), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rows := rapid.SliceOfN(anyRow(format), 1, 5).Draw(t, "rows")
				var file bytes.Buffer
				testsupport.NoError(t, write(&file, format, 4, 3, slices.Values(rows)))
				got, err := read(file.String(), "a."+string(format))
				testsupport.NoError(t, err)
				if diff := cmp.Diff(asRead(rows), got); diff != "" {
					t.Fatalf("%s\n%q", diff, file.String())
				}
			})
		})
	}
}

// TestFormulas: no cell of a text is a formula in a spreadsheet.
func TestFormulas(t *testing.T) {
	for _, text := range []string{"=1", "+1", "-1", "@x", " =1", "＝1"} {
		file := written(t, table.CSV, 2, 1, answers.Row{
			Kind: text, Respondent: text, Segment: text,
			Shown: []string{strings.TrimSpace(text), "b"}, Picks: []string{"b"},
		})
		if strings.Count(file, "'"+text)+strings.Count(file, "'"+strings.TrimSpace(text)) < 4 || strings.Contains(file, ","+text) {
			t.Errorf("%q: %s", text, file)
		}
	}
}

// TestRefusedRows: what would not come back as it is, is not written.
func TestRefusedRows(t *testing.T) {
	for want, row := range map[string]answers.Row{
		"answers: row 1 shows 3 arms, more than 2":                               {Number: 1, Shown: []string{"a", "b", "c"}},
		"answers: row 1 has 2 picks, more than 1":                                {Number: 1, Picks: []string{"a", "b"}},
		`answers: row 1 has an arm that cannot be written as csv: " a"`:          {Number: 1, Shown: []string{" a"}},
		`answers: row 1 has an arm that cannot be written as csv: "a\r\nb"`:      {Number: 1, Picks: []string{"a\r\nb"}},
		`answers: row 1 has an arm that cannot be written as csv: ""`:            {Number: 1, Picks: []string{""}},
		`answers: row 1 has a text that is not UTF-8 or has a zero byte: "\xff"`: {Number: 1, Respondent: "\xff"},
		"answers: row 1 has a time that cannot be written: 10000-01-01 00:00:00 +0000 UTC": {
			Number: 1,
			At:     time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		},
	} {
		if err := answers.NewWriter(io.Discard, table.CSV, answers.Layout{Shown: 2, Picks: 1}).Write(row); err == nil ||
			err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestMemory: what writing takes does not grow with the rows.
func TestMemory(t *testing.T) {
	const rows, length, room = 15_000, 4096, 48 << 20 // the rows have 60 MB of texts
	random := make([]byte, 1<<19)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	texts := hex.EncodeToString(random) // from anywhere in it, so that packing does not make rows much smaller
	for _, format := range formats {
		highest := uint64(0)
		source := func(yield func(answers.Row) bool) {
			for i := range rows {
				if i%(rows/10) == 0 {
					runtime.GC()
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					highest = max(highest, m.HeapAlloc)
				}
				start := i * 100_003 % (len(texts) - length)
				if !yield(answers.Row{Respondent: texts[start : start+length], Shown: []string{"a", "b"}, Picks: []string{"b"}}) {
					return
				}
			}
		}
		testsupport.NoError(t, write(io.Discard, format, 2, 1, source))
		if highest > room {
			t.Errorf("%s takes %d MB", format, highest>>20)
		}
	}
}

// TestLabels: delimited text has the labels of shown and picked arms, protected like ids, and a reader ignores them.
// Other formats do not have them.
func TestLabels(t *testing.T) {
	row := answers.Row{
		Number: 1, Kind: "answered", Shown: []string{"a", "b"}, Picks: []string{"b"},
		Labels: []string{"Orb", "=Reed"},
	}
	for _, format := range []table.Format{table.CSV, table.JSONLines} {
		var file strings.Builder
		out := answers.NewWriter(&file, format, answers.Layout{Shown: 2, Picks: 1, Labels: true})
		testsupport.NoError(t, out.Write(row))
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(file.String(), "Reed"); has != (format == table.CSV) {
			t.Errorf("%s has labels: %v\n%s", format, has, file.String())
		}
		if format == table.CSV {
			const header, cells = "shown_1,shown_2,pick_1,shown_1_label,shown_2_label,pick_1_label\n", ",a,b,b,Orb,'=Reed,'=Reed\n"
			if !strings.Contains(file.String(), header) || !strings.HasSuffix(file.String(), cells) {
				t.Error(file.String())
			}
		}
		from, err := answers.NewReader(strings.NewReader(file.String()), "answers."+string(format), table.Limits{})
		testsupport.NoError(t, err)
		read := 0
		for got, err := range from.Rows() {
			testsupport.NoError(t, err)
			if read++; len(got.Shown) != 2 || got.Picks[0] != "b" || got.Labels != nil {
				t.Errorf("%+v", got)
			}
		}
		if read != 1 {
			t.Errorf("%d rows", read)
		}
	}
	if err := answers.NewWriter(&strings.Builder{}, table.CSV,
		answers.Layout{Shown: 2, Picks: 1}).Write(answers.Row{Labels: []string{"x"}}); err == nil {
		t.Error("a label without an arm is written")
	}
}
