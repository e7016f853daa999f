package catalogue

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/parquets"
)

const (
	// longestHeader is how much a page of a Parquet file may say of itself.
	longestHeader = 1 << 20

	// largestPage is how much a page may take, unpacked.
	largestPage = 1 << 28

	// mostRows are those of a table that fit in memory.
	mostRows = 1 << 30
)

// checkPages goes through the pages of all columns, which must have one value a row. Columns that
// are left out are not looked at.
func checkPages(source io.ReaderAt, size int64, file *parquet.File, options Options) error {
	for _, group := range file.Metadata().RowGroups {
		if group.NumRows < 0 || group.NumRows > mostRows {
			return parquets.ErrDamaged
		}
		limits := parquets.Limits{Header: longestHeader, Size: largestPage, Values: group.NumRows}
		for i := range group.Columns {
			column := &group.Columns[i].MetaData
			if len(column.PathInSchema) > 0 && isLeftOut(column.PathInSchema[0], options) {
				continue
			}
			if column.NumValues != group.NumRows {
				return parquets.ErrDamaged
			}
			if err := parquets.CheckPages(source, size, column, limits); err != nil {
				return err
			}
		}
	}
	return nil
}
