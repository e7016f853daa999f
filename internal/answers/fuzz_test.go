package answers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bestpick/internal/table"
)

// sound fails where what is read is neither answers that are whole nor one line that names the file.
// Answers are the same once they are written and read again.
func sound(t *testing.T, text []byte, name string, format table.Format) {
	t.Helper()
	rows, err := read(string(text), name)
	if err != nil {
		if at, placed := errors.AsType[*table.Error](err); !placed || at.File != name || !at.Exists() || strings.Contains(err.Error(), "\n") {
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
		if !slices.Equal(rows[i].Shown, again[i].Shown) || !slices.Equal(rows[i].Picks, again[i].Picks) || !rows[i].At.Equal(again[i].At) {
			t.Fatalf("%+v and %+v", rows[i], again[i])
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{
		written(f, table.CSV, 4, 2, small()...), "shown_1;shown_2;pick_1;\n' =a;b;b;\n", "shown_2\tshown_1\tpick_1\tat\n\"a\r\nb\"\tb\tb\t2026-01-02T03:04:05Z\n", "\x1f\x8b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "a.csv", table.CSV) })
}

func FuzzReadJSONLines(f *testing.F) {
	for _, seed := range []string{
		written(f, table.JSONLines, 4, 2, small()...), `[{"shown":[1,2],"picks":[2]}]`, `{"shown":["a","b"],"picks":["b"],"at":"2026-01-02T03:04:05+01:00"}`, "[", "{}", "[{},",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "a.jsonl", table.JSONLines) })
}
