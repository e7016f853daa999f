// Package uploads sets the limits of files that are uploaded to the service, over the API and on the
// pages alike. docs/operations.md has them in a table.
//
// Each bounds the memory that one file can take: a compressed file of a few kilobytes can hold
// millions of rows, or one row of any length. Files on the command line are the user's own and have
// no such limits.
package uploads

import "bestpick/internal/table"

// MaxBytes is the default size of a request with files, and of each file after decompression.
const MaxBytes = 256 << 20

// maxColumns is the most columns of any table.
const maxColumns = 10_000

// Arms returns the limits of a file of arms, of at most this many bytes. Live studies have been
// measured with 100,000 arms. 20 million values are 200,000 arms of 100 columns.
func Arms(bytes int64) table.Limits {
	return table.Limits{Rows: 200_000, Columns: maxColumns, RowBytes: 4 << 20, Values: 20_000_000, Bytes: bytes}
}

// Answers returns the limits of a file of answers, of at most this many bytes.
func Answers(bytes int64) table.Limits {
	return table.Limits{Rows: 1_000_000, Columns: maxColumns, RowBytes: 1 << 20, Bytes: bytes}
}

// Panel returns the limits of a file of panel members.
func Panel() table.Limits {
	return table.Limits{Rows: 10_000, Columns: maxColumns, RowBytes: 1 << 20, Bytes: 16 << 20}
}

// Contexts returns the limits of a file with the texts of arms in contexts. Live studies keep these
// texts in memory.
func Contexts() table.Limits {
	return table.Limits{Rows: 100_000, Columns: 100, RowBytes: 256 << 10, Values: 1_000_000, Bytes: 8 << 20}
}

// Prior returns the limits of a file with recorded choices for the prior of a study. A model is fitted
// to them while the owner waits.
func Prior() table.Limits {
	return table.Limits{Rows: 100_000, Columns: maxColumns, RowBytes: 1 << 20, Bytes: 32 << 20}
}
