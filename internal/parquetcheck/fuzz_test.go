package parquetcheck_test

import (
	"bytes"
	"errors"
	"testing"

	"bestpick/internal/parquetcheck"
)

// FuzzOpen: a file is opened or rejected without a panic, and so are the pages of its columns.
func FuzzOpen(f *testing.F) {
	whole := wholeFile(f)
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)/2] + whole[len(whole)-8:]))
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := parquetcheck.Open(bytes.NewReader(content), int64(len(content)), parquetcheck.Limits{Footer: 1 << 20, Structs: 1000})
		if err != nil {
			if _, limited := errors.AsType[*parquetcheck.LimitError](err); !limited && !errors.Is(err, parquetcheck.ErrDamaged) && !errors.Is(err, parquetcheck.ErrEndsEarly) {
				t.Fatal(err)
			}
			return
		}
		for _, group := range file.Metadata().RowGroups {
			for i := range group.Columns {
				column := &group.Columns[i].MetaData
				err := parquetcheck.NewChecker(bytes.NewReader(content), int64(len(content)), limits()).Check(parquetcheck.Column{ColumnMetaData: column, Repetition: 1, Definition: 1})
				if err == nil && column.NumValues > limits().Values*int64(len(content)) {
					t.Fatalf("%d values in %d bytes", column.NumValues, len(content))
				}
			}
		}
	})
}
