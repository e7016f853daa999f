package read

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/catalogue"
	"bestpick/internal/parquetcheck"
	"bestpick/internal/table"
)

// maxParquetRows is how many rows a table may have at most, even if the limits allow more.
const maxParquetRows = 1 << 30

// parquetLimits returns what a Parquet file may make the library allocate: much where it is a file of
// the user's own.
func parquetLimits(limits table.Limits) parquetcheck.Limits {
	if limits == (table.Limits{}) {
		return parquetcheck.Limits{Header: 1 << 20, Size: 1 << 28, Values: maxParquetRows}
	}
	return parquetcheck.Limits{
		Footer:  parquetcheck.FooterBytes,
		Structs: parquetcheck.FooterStructs,
		Header:  1 << 20,
		Size:    32 << 20,
		Values:  maxParquetRows,
		Bytes:   limits.Bytes,
	}
}

// checkPages goes through the pages of all columns, which must have one value a row, or lists within the
// limits. Columns that are left out are not looked at.
func checkPages(source io.ReaderAt, size int64, file *parquet.File, columns []parquetColumn, options catalogue.Options) error {
	checker := parquetcheck.NewChecker(source, size, parquetLimits(options.Limits))
	groups, rows := file.Metadata().RowGroups, file.NumRows()
	listed := int64(0) // values in lists
	for i := range groups {
		if groups[i].NumRows < 0 || groups[i].NumRows > min(rows, maxParquetRows) {
			return parquetcheck.ErrDamaged
		}
		rows -= groups[i].NumRows
		for _, c := range columns {
			if c.leaf == nil {
				continue
			}
			column := parquetcheck.ColumnOf(&groups[i], c.leaf)
			if column.NumValues != groups[i].NumRows && !c.list || column.NumValues < groups[i].NumRows {
				return parquetcheck.ErrDamaged
			}
			if c.list {
				listed += min(column.NumValues, maxParquetRows)
			}
			if problem := options.Limits.ValuesProblem(int(min(listed, maxParquetRows)), 1); problem != "" {
				return &parquetcheck.LimitError{Problem: problem}
			}
			if err := checker.Check(column); err != nil {
				return err
			}
		}
	}
	return nil
}
