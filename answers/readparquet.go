package answers

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/parquets"
	"bestpick/table"
)

// parquetRows are answers in a Parquet file. Its rows count from 1.
type parquetRows struct {
	name    string
	columns []*parquetColumn // in the order of the file
	rows    int64
	row     int // at hand
	limits  table.Limits
	bytes   int64 // of the texts so far
}

// openParquet reads the footer of a file and checks its pages. The library panics at some files that
// are damaged; here, that is an error like any other.
func openParquet(file io.ReaderAt, size int64, name string, limits table.Limits) (s source, err error) {
	p := &parquetRows{name: name, limits: limits}
	defer func() {
		if recover() != nil {
			err = p.damaged()
		}
	}()
	opened, err := parquets.Open(file, size, parquetLimits(limits))
	if err != nil {
		return nil, &table.Error{File: name, Problem: err.Error()}
	}
	p.rows = opened.NumRows()
	switch problem := limits.RowsProblem(p.rows); {
	case p.rows == 0:
		return nil, &table.Error{File: name, Problem: "there are no rows in the file"}
	case p.rows < 0:
		return nil, p.damaged()
	case problem != "":
		return nil, &table.Error{File: name, Problem: problem}
	}
	if err := p.findColumns(opened.Root().Columns()); err != nil {
		return nil, err
	}
	if err := p.checkPages(file, size, opened); err != nil {
		return nil, &table.Error{File: name, Problem: err.Error()}
	}
	return p, nil
}

func (p *parquetRows) damaged() error {
	return &table.Error{File: p.name, Problem: parquets.ErrDamaged.Error()}
}

// findColumns finds out which column is what.
func (p *parquetRows) findColumns(columns []*parquet.Column) error {
	known := map[string]bool{}
	for _, column := range columns {
		name := strings.TrimSpace(column.Name())
		if known[name] {
			return p.errorf(name, 0, table.TwoColumns)
		}
		known[name] = true
		switch name {
		case numberColumn, questionColumn, planColumn:
		case shownColumn, picksColumn, kindColumn, respondentColumn, segmentColumn, askedColumn, atColumn:
			c, problem := newParquetColumn(column, name)
			if problem != "" {
				return p.errorf(name, 0, "%s", problem)
			}
			p.columns = append(p.columns, c)
		default:
			return p.errorf(name, 0, noColumn)
		}
	}
	for _, name := range []string{shownColumn, picksColumn} {
		if !known[name] {
			names := make([]string, len(columns))
			for i, column := range columns {
				names[i] = column.Name()
			}
			return p.errorf(name, 0, "%s", table.NoColumn(names))
		}
	}
	return nil
}

func (p *parquetRows) each(take func(Row) error) error {
	for _, column := range p.columns {
		column.pages = column.leaf.Pages()
		defer column.close()
	}
	for p.row = 1; int64(p.row) <= p.rows; p.row++ {
		row, err := p.read()
		if err != nil {
			return err
		}
		if err := take(row); err != nil {
			return err
		}
	}
	for _, column := range p.columns {
		if err := column.end(); err != nil {
			return p.damaged()
		}
	}
	return nil
}

// read returns the next row, of which every column has a part. The texts of a dictionary are as many
// as the rows that have them, so that both the row and all rows are limited.
func (p *parquetRows) read() (row Row, err error) {
	length := 0
	for _, column := range p.columns {
		values, err := column.next(p.limits)
		if exceeded, is := errors.AsType[*rowError](err); is {
			return Row{}, p.errorf(column.name, 0, "%s", exceeded)
		}
		if err != nil {
			return Row{}, p.damaged()
		}
		length += column.length
		p.bytes += int64(column.length)
		if problem := cmp.Or(p.limits.RowProblem(length), p.limits.BytesProblem(p.bytes)); problem != "" {
			return Row{}, p.errorf("", 0, "%s", problem)
		}
		if problem := column.set(&row, values); problem != "" {
			return Row{}, p.errorf(column.name, 0, "%s", problem)
		}
	}
	return row, nil
}

// set takes in the values of a row, or says what is wrong with them.
func (c *parquetColumn) set(row *Row, values []parquetValue) (problem string) {
	switch c.name {
	case shownColumn:
		row.Shown = idsIn(values)
	case picksColumn:
		row.Picks = idsIn(values)
	case kindColumn:
		row.Kind = values[0].text
	case respondentColumn:
		row.Respondent = values[0].text
	case segmentColumn:
		row.Segment = values[0].text
	case askedColumn:
		row.Asked, problem = c.time(values[0])
	case atColumn:
		row.At, problem = c.time(values[0])
	}
	return problem
}

// idsIn returns the ids of a list. One that is empty has one value all the same, which is null.
func idsIn(values []parquetValue) []string {
	if len(values) == 1 && values[0].null {
		return nil
	}
	ids := make([]string, len(values))
	for i, v := range values {
		ids[i] = strings.TrimSpace(v.text)
	}
	return ids
}

func (p *parquetRows) errorf(column string, _ int, format string, arguments ...any) error {
	return &table.Error{File: p.name, Line: p.row, Column: column, Problem: fmt.Sprintf(format, arguments...)}
}
