package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bestpick/internal/catalogue/read"
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

// NewReader recognises the format of a file, CSV, JSON Lines or, without limits, Parquet or the first sheet of a workbook,
// by its first bytes or else by the ending of its name, and reads its header. The file may be compressed with gzip. name is
// the file name in errors. A file that exceeds the limits returns a [table.Error]; Limits.Rows includes rows
// that are not answers. Parquet and workbooks are read from the user's own disk only, and held in memory.
func NewReader(from io.Reader, name string, limits table.Limits) (*Reader, error) {
	text, format, err := table.Recognise(from, name)
	if err != nil {
		return nil, err
	}
	var s source
	switch {
	case limits == (table.Limits{}) && (format == table.ParquetFile || format == table.ZIPFile):
		s, err = openTable(read.Rows(text, name))
	case format == table.ParquetFile, table.Ending(name) == "."+string(table.Parquet):
		err = table.Problemf("parquet-answers", "Parquet files of answers cannot be imported; answers must be CSV or JSON Lines")
	case format == table.ZIPFile:
		err = table.Problemf("zip-answers", "the file is a ZIP archive: a spreadsheet must be saved as CSV")
	case format == table.JSONFile:
		s, err = openJSON(text, name, limits)
	case format == table.TextFile:
		s, err = openTable(table.NewReader(text, name, limits))
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

// tableRows are answers in a table: a list has a column for each arm, or one column with the list in JSON.
type tableRows struct {
	*table.Reader

	fields   []field
	columns  [][]int // of each field, several for a list
	unnamed  []int   // columns without a name, which must have no values
	numbered bool    // there are row numbers: the table was written by R or pandas
}

func openTable(rows *table.Reader, err error) (source, error) {
	if err != nil {
		return nil, err
	}
	c := &tableRows{Reader: rows}
	return c, c.readHeader()
}

// readHeader assigns the columns.
func (c *tableRows) readHeader() error {
	known, arms := map[string]bool{}, map[string]int{}
	for i, name := range c.Header() {
		list, isLabel := listOf(name)
		switch {
		case table.IsRowName(name, i):
			c.numbered = true
			continue
		case name == "":
			c.unnamed = append(c.unnamed, i)
			continue
		case known[name]:
			return c.ProblemAt(c.Line(), name, table.TwoColumns())
		case list != "" && !isLabel:
			arms[list]++
		case name == shownColumn || name == picksColumn:
			c.fields, c.columns = append(c.fields, field{column: name}), append(c.columns, []int{i})
		case list == "":
			if problem := new(Row).set(name, ""); problem.Exists() {
				return c.ProblemAt(c.Line(), name, problem)
			}
			c.fields, c.columns = append(c.fields, field{column: name}), append(c.columns, []int{i})
		}
		known[name] = true
	}
	for _, list := range []string{shownColumn, picksColumn} {
		if known[list] {
			continue
		}
		if err := c.findList(list, max(arms[list], 1)); err != nil {
			return err
		}
	}
	return nil
}

// findList finds the columns of a list, from 1 to their number.
func (c *tableRows) findList(list string, arms int) error {
	if list == shownColumn {
		arms = max(arms, 2)
	}
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

func (c *tableRows) each(take func([]field) error) error {
	return c.Each(func() error {
		for _, i := range c.unnamed {
			if c.Text(i) != "" {
				return c.ProblemAt(c.Line(), "", table.Problemf("no-name", "column %d has a value, but no name", i+1))
			}
		}
		for k := range c.fields {
			f, columns := &c.fields[k], c.columns[k]
			switch {
			case f.column != shownColumn && f.column != picksColumn:
				f.text = c.text(columns[0])
			case c.Header()[columns[0]] == f.column:
				f.ids, f.problem = idsOf([]byte(c.Text(columns[0])))
			default:
				f.ids = c.list(columns)
			}
		}
		c.restoreIntegers()
		return take(c.fields)
	})
}

// restoreIntegers undoes what pandas does to ids in a column of integers with empty cells: it writes 3.0 for 3.
func (c *tableRows) restoreIntegers() {
	hasInteger := func(f field) bool { return f.column == shownColumn && slices.ContainsFunc(f.ids, integer.MatchString) }
	for _, f := range c.fields {
		for i, id := range f.ids {
			if digits, is := strings.CutSuffix(id, ".0"); is && integer.MatchString(digits) && slices.ContainsFunc(c.fields, hasInteger) {
				f.ids[i] = digits
			}
		}
	}
}

// text returns the text of a cell. NA, which R writes, is none.
func (c *tableRows) text(cell int) string {
	text := c.Text(cell)
	if c.numbered && text == "NA" {
		return ""
	}
	return table.Unprotect(strings.Clone(text))
}

// list returns the ids of a list, without empty cells at its end.
func (c *tableRows) list(cells []int) []string {
	for len(cells) > 0 && c.text(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	ids := make([]string, len(cells))
	for i, cell := range cells {
		ids[i] = strings.TrimSpace(c.text(cell))
	}
	return ids
}

func (c *tableRows) place(column string, i int, problem table.Problem) error {
	at := slices.IndexFunc(c.fields, func(f field) bool { return f.column == column })
	if at < 0 {
		return c.ProblemAt(c.Line(), column, problem)
	}
	return c.Problem(c.columns[at][min(i, len(c.columns[at])-1)], problem)
}

func (c *tableRows) currentLine() int { return c.Line() }

// jsonRows are answers as objects, one a line or in one list.
type jsonRows struct {
	name   string
	line   int // of the current row
	text   *table.Text
	limits table.Limits
}

func (j *jsonRows) place(column string, _ int, problem table.Problem) error {
	return &table.Error{File: j.name, Line: j.line, Column: column, Problem: problem}
}

func (j *jsonRows) currentLine() int { return j.line }

func openJSON(source io.Reader, name string, limits table.Limits) (*jsonRows, error) {
	text, err := table.OpenText(source, name)
	if err != nil {
		return nil, err
	}
	return &jsonRows{name: name, text: text, limits: limits}, nil
}

func (j *jsonRows) each(take func([]field) error) error {
	err := table.EachObject(j.text.Reader, j.name, j.limits, func(object []byte, line int) error {
		j.line = line
		fields, problem := j.fields(object)
		if problem.Exists() {
			return j.place("", 0, problem)
		}
		return take(fields)
	})
	if err == nil && j.line == 0 {
		err = j.place("", 0, table.Problemf("no-objects", "there are no objects in the file"))
	}
	return err
}

// fields decodes an object.
func (j *jsonRows) fields(object []byte) (fields []field, problem table.Problem) {
	switch tooLong := j.limits.RowProblem(len(object)); {
	case tooLong.Exists():
		return nil, tooLong
	case object[0] != '{':
		return nil, table.Problemf("answer-object", "an answer is an object in braces, not %s", table.Excerpt(object))
	case !utf8.Valid(object):
		return nil, table.NotUTF8()
	}
	members, problem := table.Members(object)
	known := map[string]bool{}
	for _, m := range members {
		f := field{column: m.Name}
		switch {
		case known[m.Name]:
			f.problem = table.Problemf("two-names", "the name is there twice")
		case m.Name == shownColumn || m.Name == picksColumn:
			f.ids, f.problem = idsOf(m.Value)
		case m.Name == metadataColumn:
			f.text = string(m.Value)
		case m.Name == numberColumn || m.Name == questionColumn || m.Name == planColumn || m.Name == contextColumn:
		default:
			f.text, f.problem = textOf(m.Value)
			if unknown := new(Row).set(m.Name, ""); unknown.Exists() {
				f.problem = unknown
			}
		}
		known[m.Name] = true
		fields = append(fields, f)
	}
	return fields, problem
}

// idsOf returns the ids of a list.
func idsOf(value []byte) (ids []string, problem table.Problem) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil {
		return nil, table.Problemf("no-ids", "a list of ids is needed, not %s", table.Excerpt(value))
	}
	for _, element := range list[:min(len(list), maxArms+1)] {
		id, problem := textOf(element)
		if problem.Exists() {
			return nil, problem
		}
		ids = append(ids, strings.TrimSpace(id))
	}
	return ids, table.Problem{}
}

// integer matches ids that are numbers.
var integer = regexp.MustCompile(`^-?[0-9]+$`)

// textOf decodes a text. An integer becomes its digits, and null becomes "".
func textOf(value []byte) (text string, problem table.Problem) {
	switch {
	case string(value) == "null":
	case integer.Match(value):
		return string(value), table.Problem{}
	case json.Unmarshal(value, &text) != nil:
		return "", table.Problemf("no-text-value", "a text is needed, not %s", table.Excerpt(value))
	}
	return text, table.Problem{}
}
