package answers

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/parquets"
	"bestpick/table"
)

// parquetLimits returns what a Parquet file may make the library allocate.
func parquetLimits(limits table.Limits) parquets.Limits {
	return parquets.Limits{
		Footer:  parquets.FooterBytes,
		Structs: parquets.FooterStructs,
		Header:  64 << 10,
		Size:    16 << 20,
		Values:  4 << 20, // of few arms, many fit into the usual 1 MB
		Bytes:   limits.Bytes,
	}
}

// checkPages goes through the pages of the columns that are read.
func (p *parquetRows) checkPages(file io.ReaderAt, size int64, opened *parquet.File) error {
	checker := parquets.NewChecker(file, size, parquetLimits(p.limits))
	groups, rows := opened.Metadata().RowGroups, int64(0)
	for i := range groups {
		if groups[i].NumRows < 0 || groups[i].NumRows > p.rows-rows {
			return parquets.ErrDamaged
		}
		rows += groups[i].NumRows
		for _, column := range p.columns {
			if err := checker.Check(parquets.ColumnOf(&groups[i], column.leaf)); err != nil {
				return err
			}
		}
	}
	return nil
}
