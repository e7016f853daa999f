package answers

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/parquets"
)

const (
	// longestHeader is how much a page of a Parquet file may say of itself.
	longestHeader = 1 << 16

	// largestPage is how much a page may take, unpacked.
	largestPage = 16 << 20

	// mostValues are those that a page may have: of very few levels, many fit in 1 MB.
	mostValues = 8 << 20
)

// checkPages goes through the pages of a column.
func checkPages(file io.ReaderAt, size int64, opened *parquet.File, column int) error {
	limits := parquets.Limits{Header: longestHeader, Size: largestPage, Values: mostValues}
	for _, group := range opened.Metadata().RowGroups {
		if err := parquets.CheckPages(file, size, &group.Columns[column].MetaData, limits); err != nil {
			return err
		}
	}
	return nil
}
