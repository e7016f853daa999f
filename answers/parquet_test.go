package answers_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"bestpick/answers"
)

// parquetFile returns a file as other programs write it.
func parquetFile[T any](t testing.TB, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	var file bytes.Buffer
	w := parquet.NewGenericWriter[T](&file, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestForeignParquet: lists may be of either form, ids integers, times of any unit.
func TestForeignParquet(t *testing.T) {
	at := time.Date(1969, 2, 3, 4, 5, 6, 789_000_000, time.UTC)
	type lists struct {
		Picks []int32   `parquet:"picks,list"`
		Shown []uint64  `parquet:"shown,list"`
		At    time.Time `parquet:"at,timestamp(millisecond)"`
		Asked string    `parquet:"asked"`
		Who   *string   `parquet:"respondent,optional"`
	}
	type repeated struct {
		Shown []string `parquet:"shown,dict"`
		Picks []string `parquet:"picks"`
		At    int64    `parquet:"at,timestamp(nanosecond)"`
	}
	type element struct {
		Item *string `parquet:"item,optional"`
	}
	type nested struct {
		Shown struct {
			Bag []element `parquet:"bag"`
		} `parquet:"shown"`
		Picks []string `parquet:"picks,list"`
	}
	a, b := "1", " 2 "
	inBag := nested{Picks: []string{"2"}}
	inBag.Shown.Bag = []element{{&a}, {&b}}
	plain := answers.Row{Shown: []string{"1", "2"}, Picks: []string{"2"}}
	timed, both := plain, plain
	timed.At, both.At, both.Asked = at, at, at.Add(time.Hour)
	for name, c := range map[string]struct {
		file string
		want answers.Row
	}{
		"lists":    {parquetFile(t, []lists{{Shown: []uint64{1, 2}, Picks: []int32{2}, At: at, Asked: "1969-02-03T05:05:06.789Z"}}, parquet.DataPageVersion(1), parquet.Compression(&parquet.Zstd)), both},
		"repeated": {parquetFile(t, []repeated{{Shown: plain.Shown, Picks: plain.Picks, At: at.UnixNano()}}), timed},
		"nested":   {parquetFile(t, []nested{inBag}), plain},
	} {
		got, err := read(c.file, "a.parquet")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff([]answers.Row{c.want}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestBadParquet(t *testing.T) {
	type row struct {
		Shown []string `parquet:"shown,list"`
		Picks []string `parquet:"picks,list"`
	}
	good := row{[]string{"a", "b"}, []string{"a"}}
	type local struct {
		row

		At time.Time `parquet:"at,timestamp(microsecond:local)"`
	}
	type day struct {
		row

		At int32 `parquet:"at,date"`
	}
	type number struct {
		row

		At int64 `parquet:"at"`
	}
	type ids struct {
		Shown []float64 `parquet:"shown,list"`
	}
	type text struct {
		Shown string `parquet:"shown"`
	}
	type names struct {
		row

		Names []string `parquet:"respondent,list"`
	}
	type other struct {
		row

		Price float64 `parquet:"price"`
	}
	type far struct {
		row

		At int64 `parquet:"at,timestamp(millisecond)"`
	}
	type lonely struct {
		Shown []string `parquet:"shown,list"`
	}
	long := row{make([]string, 1001), nil}
	for _, c := range []struct{ file, want string }{
		{parquetFile(t, []row{}), "a: there are no rows in the file"},
		{parquetFile(t, []row{good, {good.Shown, nil}}), `a:2: column "picks": nothing is picked`},
		{parquetFile(t, []row{good, {nil, good.Picks}}), `a:2: column "shown": two arms or more must be shown, not 0`},
		{parquetFile(t, []row{{[]string{"a", ""}, good.Picks}}), `a:1: column "shown": the value is missing`},
		{parquetFile(t, []row{{[]string{"a", "\xff"}, good.Picks}}), `a:1: column "shown": the text is not UTF-8; save the file as UTF-8`},
		{parquetFile(t, []row{good, long}), `a:2: column "shown": a row has at most 1000 arms`},
		{parquetFile(t, make([]row, most+1)), "a: the file has more than 1,000 rows"},
		{parquetFile(t, []lonely{{good.Shown}}), `a: column "picks": there is no such column; there are shown`},
		{parquetFile(t, []local{{row: good}}), `a: column "at": the times are of no time zone; make them UTC`},
		{parquetFile(t, []day{{row: good}}), `a: column "at": values of type DATE cannot be read`},
		{parquetFile(t, []number{{row: good}}), `a: column "at": values of type INT(64,true) cannot be read`},
		{parquetFile(t, []far{{good, 1 << 62}}), `a:1: column "at": 4611686018427387904 is no time`},
		{parquetFile(t, []ids{{[]float64{1}}}), `a: column "shown": values of type DOUBLE cannot be read`},
		{parquetFile(t, []text{{"a"}}), `a: column "shown": lists of ids are needed`},
		{parquetFile(t, []names{{row: good}}), `a: column "respondent": the column is nested; it must have one value a row`},
		{parquetFile(t, []other{{row: good}}), `a: column "price": answers have no such column; there may be shown, picks, respondent, segment, asked and at`},
	} {
		if _, err := read(c.file, "a"); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestLargePage: a page that would take much memory is not unpacked.
func TestLargePage(t *testing.T) {
	type row struct {
		Shown []string `parquet:"shown,list"`
		Picks []string `parquet:"picks,list"`
	}
	const rows, length, arms, large = 20, 1000, 1000, 16 << 20
	shown := make([]string, arms)
	for i := range shown {
		shown[i] = fmt.Sprintf("%0*d", length, i)
	}
	file := parquetFile(t, slices.Repeat([]row{{shown, shown[:1]}}, rows), parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(2*large))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := read(file, "a"); err == nil || err.Error() != "a: a page of the Parquet file is larger than 16 MB; write it with smaller pages or row groups" {
		t.Error(err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > large {
		t.Errorf("%d bytes for %d", taken, len(file))
	}
}
