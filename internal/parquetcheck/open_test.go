package parquetcheck_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/parquetcheck"
)

// wholeFile returns a file of two columns, one of which has levels.
func wholeFile(t testing.TB) string {
	t.Helper()
	type row struct {
		ID    string   `parquet:"id,dict"`
		Shown []string `parquet:"shown,list"`
	}
	var file bytes.Buffer
	if err := parquet.Write(&file, []row{{"a", []string{"b", "c"}}, {"b", nil}, {"a", []string{"c"}}}); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// described returns a file that consists of a footer only.
func described(description string) string {
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(description)))
	return parquetcheck.Magic + description + string(length) + parquetcheck.Magic
}

func TestOpen(t *testing.T) {
	whole := wholeFile(t)
	file, err := parquetcheck.Open(strings.NewReader(whole), int64(len(whole)), parquetcheck.Limits{})
	if err != nil || file.NumRows() != 3 {
		t.Fatal(err)
	}
	const deep = 20 << 20 // would overflow the stack
	for name, c := range map[string]struct {
		content string
		want    error
	}{
		"nothing":            {"", parquetcheck.ErrEndsEarly},
		"a start":            {"PAR1", parquetcheck.ErrEndsEarly},
		"no end":             {whole[:len(whole)-1], parquetcheck.ErrEndsEarly},
		"no room":            {"PAR1\x01\x00\x00\x00PAR1", parquetcheck.ErrEndsEarly},
		"no description":     {"PAR1\x00\x00\x00\x00PAR1", parquetcheck.ErrDamaged},
		"empty description":  {described("\x00"), parquetcheck.ErrDamaged},
		"half a description": {described(whole[len(whole)-100 : len(whole)-8]), parquetcheck.ErrDamaged},
		"lists in lists":     {described(strings.Repeat("\x19", deep)), parquetcheck.ErrDamaged},
		"a long list":        {described("\x15\x02\x19\xfc\xff\xff\xff\xff\x07\x00"), parquetcheck.ErrDamaged},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file, err := parquetcheck.Open(strings.NewReader(c.content), int64(len(c.content)), parquetcheck.Limits{})
		runtime.ReadMemStats(&after)
		if file != nil || !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if taken, most := after.TotalAlloc-before.TotalAlloc, uint64(len(c.content)+1<<20); taken > most {
			t.Errorf("%s: %d bytes for %d", name, taken, len(c.content))
		}
	}
}

// cut is a file that cannot be read from an offset on.
type cut struct {
	io.ReaderAt

	from int64
}

func (c cut) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > c.from {
		return 0, io.ErrNoProgress
	}
	return c.ReaderAt.ReadAt(p, at)
}

// TestUnreadable: a read error is not reported as damage.
func TestUnreadable(t *testing.T) {
	whole := wholeFile(t)
	if _, err := parquetcheck.Open(cut{strings.NewReader(whole), 100}, int64(len(whole)), parquetcheck.Limits{}); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}
