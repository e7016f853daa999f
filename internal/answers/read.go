package answers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/table"
)

// A Reader reads answers that were recorded elsewhere, or exported. Problems of a file are of type
// [table.Error]. Not safe for concurrent use.
type Reader struct {
	source source
	limits table.Limits
	check  checker
}

// A source is the rows of a file in one format.
type source interface {
	// each calls take for every row, until take or reading fails. The fields are valid until take returns.
	each(take func([]field) error) error
	// place returns an error about a column of the current row or, if the column is a list, about an
	// arm of it.
	place(column string, i int, problem table.Problem) error
	// currentLine returns the line of the current row.
	currentLine() int
}

// A field is a value of a row: a text, or the ids of a list.
type field struct {
	column string
	text   string
	ids    []string
	// problem is that of a value that is neither, if any.
	problem table.Problem
}

// NewReader recognises the format of a file, CSV, JSON Lines or, without limits, Parquet, by its first bytes or else by the
// ending of its name, and reads its header. The file may be compressed with gzip. name is the file
// name in errors. A file that exceeds the limits returns a [table.Error]; Limits.Rows includes rows
// that are not answers. Parquet is read from the user's own disk only: its library allocates what a file declares.
func NewReader(from io.Reader, name string, limits table.Limits) (*Reader, error) {
	text, format, err := table.Recognise(from, name)
	if err != nil {
		return nil, err
	}
	var s source
	switch {
	case format == table.ParquetFile && limits == (table.Limits{}):
		s, err = openParquet(text, name)
	case format == table.ParquetFile, table.Ending(name) == "."+string(table.Parquet):
		err = table.Problemf("parquet-answers", "Parquet files of answers cannot be imported; answers must be CSV or JSON Lines")
	case format == table.ZIPFile:
		err = table.Problemf("zip-answers", "the file is a ZIP archive: a spreadsheet must be saved as CSV")
	case format == table.JSONFile:
		s, err = openJSON(text, name, limits)
	case format == table.TextFile:
		s, err = openCSV(text, name, limits)
	default:
		start, _ := text.Peek(text.Size())
		err = table.NoTextFile(start)
	}
	if err != nil {
		return nil, table.InFile(name, err)
	}
	return &Reader{source: s, limits: limits}, nil
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
		err := r.source.each(func(fields []field) error {
			count++
			if problem := r.limits.RowsProblem(int64(count)); problem.Exists() {
				return r.source.place("", 0, problem)
			}
			row, err := r.row(fields)
			if err != nil {
				return err
			}
			if row.Kind == answered || row.Kind == imported {
				row.Kind = ""
			}
			if row.Kind != "" && !slices.Contains(withoutPicks, row.Kind) {
				return nil
			}
			if column, i, problem := r.check.problem(&row); problem.Exists() {
				return r.source.place(column, i, problem)
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

// row returns the row with the given fields.
func (r *Reader) row(fields []field) (Row, error) {
	var row Row
	for _, f := range fields {
		problem := f.problem
		switch {
		case problem.Exists():
		case len(f.ids) > maxArms:
			problem = tooManyArms()
		case f.column == shownColumn:
			row.Shown = f.ids
		case f.column == picksColumn:
			row.Picks = f.ids
		default:
			problem = row.set(f.column, f.text)
		}
		if problem.Exists() {
			return Row{}, r.source.place(f.column, 0, problem)
		}
	}
	return row, nil
}

// Line returns the line of the current row.
func (r *Reader) Line() int { return r.source.currentLine() }

// ArmProblem returns the [table.Error] of a problem with the arm in a slot of the current row.
func (r *Reader) ArmProblem(slot int, problem table.Problem) error {
	return r.source.place(shownColumn, slot, problem)
}

// ColumnProblem returns the [table.Error] of a problem in a column of the current row that is no list.
func (r *Reader) ColumnProblem(column string, problem table.Problem) error {
	return r.source.place(column, 0, problem)
}

// csvRows are answers in delimited text.
type csvRows struct {
	*table.Reader

	fields  []field
	columns [][]int // of each field, several for a list
	unnamed []int   // columns without a name, which must have no values
}

func openCSV(text *bufio.Reader, name string, limits table.Limits) (source, error) {
	rows, err := table.NewReader(text, name, limits)
	if err != nil {
		return nil, err
	}
	c := &csvRows{Reader: rows}
	return c, c.readHeader()
}

// readHeader assigns the columns.
func (c *csvRows) readHeader() error {
	known, arms := map[string]bool{}, map[string]int{}
	for i, name := range c.Header() {
		list, isLabel := listOf(name)
		switch {
		case name == "":
			c.unnamed = append(c.unnamed, i)
			continue
		case known[name]:
			return c.ProblemAt(c.Line(), name, table.TwoColumns())
		case list != "" && !isLabel:
			arms[list]++
		case list == "":
			if problem := new(Row).set(name, ""); problem.Exists() {
				return c.ProblemAt(c.Line(), name, problem)
			}
			c.fields, c.columns = append(c.fields, field{column: name}), append(c.columns, []int{i})
		}
		known[name] = true
	}
	if err := c.findList(shownColumn, max(arms[shownColumn], 2)); err != nil {
		return err
	}
	return c.findList(picksColumn, max(arms[picksColumn], 1))
}

// findList finds the columns of a list, from 1 to their number.
func (c *csvRows) findList(list string, arms int) error {
	if arms > maxArms {
		return c.ProblemAt(c.Line(), cellName(list, maxArms), tooManyArms())
	}
	var columns []int
	for i := range arms {
		at, err := c.Column(cellName(list, i))
		if err != nil {
			return err
		}
		columns = append(columns, at)
	}
	c.fields, c.columns = append(c.fields, field{column: list}), append(c.columns, columns)
	return nil
}

// cellName returns the name of the column of an arm in a list.
func cellName(list string, i int) string {
	if list == picksColumn {
		list = "pick"
	}
	return fmt.Sprintf("%s_%d", list, i+1)
}

// labelSuffix ends the names of columns with labels of arms, which are not read.
const labelSuffix = "_label"

// listOf returns the list of a column such as shown_2, pick_1 or pick_1_label, or "" for other columns.
func listOf(name string) (list string, isLabel bool) {
	name, isLabel = strings.CutSuffix(name, labelSuffix)
	prefix, digits, _ := strings.Cut(name, "_")
	if n, err := strconv.Atoi(digits); err != nil || n < 1 || strconv.Itoa(n) != digits {
		return "", isLabel
	}
	switch prefix {
	case shownColumn:
		return shownColumn, isLabel
	case "pick":
		return picksColumn, isLabel
	}
	return "", isLabel
}

func (c *csvRows) each(take func([]field) error) error {
	return c.Each(func() error {
		for _, i := range c.unnamed {
			if c.Text(i) != "" {
				return c.ProblemAt(c.Line(), "", table.Problemf("no-name", "column %d has a value, but no name", i+1))
			}
		}
		for k := range c.fields {
			f, columns := &c.fields[k], c.columns[k]
			if f.column == shownColumn || f.column == picksColumn {
				f.ids = c.list(columns)
			} else {
				f.text = table.Unprotect(strings.Clone(c.Text(columns[0])))
			}
		}
		return take(c.fields)
	})
}

// list returns the ids of a list, without empty cells at its end.
func (c *csvRows) list(cells []int) []string {
	for len(cells) > 0 && c.Text(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	ids := make([]string, len(cells))
	for i, cell := range cells {
		ids[i] = strings.TrimSpace(table.Unprotect(strings.Clone(c.Text(cell))))
	}
	return ids
}

func (c *csvRows) place(column string, i int, problem table.Problem) error {
	at := slices.IndexFunc(c.fields, func(f field) bool { return f.column == column })
	if at < 0 {
		return c.ProblemAt(c.Line(), column, problem)
	}
	return c.Problem(c.columns[at][i], problem)
}

func (c *csvRows) currentLine() int { return c.Line() }
