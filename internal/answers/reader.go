package answers

import (
	"errors"
	"io"
	"iter"
	"slices"

	"bestpick/internal/table"
)

// A Reader reads answers that were recorded elsewhere, or exported. Problems of a file are of type
// [table.Error]. Not safe for concurrent use.
type Reader struct {
	name   string
	source source
	limits table.Limits
	check  checker
}

// A source is the rows of a file in one format.
type source interface {
	// each calls take for every row, until take or reading fails. take owns the row.
	each(take func(Row) error) error

	// errorf returns an error about a column of the current row or, if the column is a list,
	// about an arm of it.
	errorf(column string, i int, format string, arguments ...any) error

	// currentLine returns the line of the current row.
	currentLine() int
}

// NewReader recognises the format of a file, CSV, JSON Lines or, without limits, Parquet, by its first bytes or else by the
// ending of its name, and reads its header. The file may be compressed with gzip. name is the file
// name in errors. A file that exceeds the limits returns a [table.Error]; Limits.Rows includes rows
// that are not answers.
func NewReader(from io.Reader, name string, limits table.Limits) (*Reader, error) {
	s, err := open(from, name, limits)
	if err != nil {
		return nil, err
	}
	return &Reader{name: name, source: s, limits: limits}, nil
}

// errStop ends reading early.
var errStop = errors.New("no more rows are wanted")

// Rows iterates over the answers once. An answer has at least two arms, all different, and picks
// some but not all of them. Answers of the kinds withoutPicks, [None] or [Tie], are included and have
// no picks. Number, question and plan are zero, and so is the kind of other answers. An error ends
// the iteration.
func (r *Reader) Rows(withoutPicks ...string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		count := 0
		err := r.source.each(func(row Row) error {
			count++
			if problem := r.limits.RowsProblem(int64(count)); problem.Exists() {
				return r.source.errorf("", 0, "%s", problem)
			}
			if row.Kind == answered || row.Kind == imported {
				row.Kind = ""
			}
			if row.Kind != "" && !slices.Contains(withoutPicks, row.Kind) {
				return nil
			}
			if column, i, problem := r.check.problem(&row); problem != "" {
				return r.source.errorf(column, i, "%s", problem)
			}
			if !yield(row, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Row{}, err)
		}
	}
}

// Line returns the line of the current row.
func (r *Reader) Line() int { return r.source.currentLine() }

// Errorf returns a [table.Error] about the arm in a slot of the current row.
func (r *Reader) Errorf(slot int, format string, arguments ...any) error {
	return r.source.errorf(shownColumn, slot, format, arguments...)
}

// ColumnErrorf returns a [table.Error] about a column of the current row that is no list.
func (r *Reader) ColumnErrorf(column, format string, arguments ...any) error {
	return r.source.errorf(column, 0, format, arguments...)
}

// noColumn is the problem of an unknown column.
const noColumn = "answers have no such column; there may be shown, picks, respondent, segment, asked, at, " +
	"judge, rationale and metadata"
