package answers

import (
	"bytes"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"

	"bestpick/internal/table"
)

// parquetRows are answers in a Parquet file that a [Writer] wrote.
type parquetRows struct {
	name string
	file *parquet.GenericReader[annotatedRow]
	line int // the number of the current row
}

// openParquet opens a Parquet file, which is held in memory.
func openParquet(source io.Reader, name string) (rows *parquetRows, err error) {
	all, err := io.ReadAll(source)
	if err != nil {
		return nil, table.ReadError(name, err)
	}
	p := &parquetRows{name: name}
	err = p.guard(func() error {
		file, err := parquet.OpenFile(bytes.NewReader(all), int64(len(all)))
		if err != nil {
			return err
		}
		p.file = parquet.NewGenericReader[annotatedRow](file)
		return nil
	})
	return p, err
}

// guard calls f, which reads with the library. The library panics at some damaged files.
func (p *parquetRows) guard(f func() error) (err error) {
	defer func() {
		if recover() != nil || err != nil && !errors.Is(err, io.EOF) {
			err = p.errorf("", 0, "the Parquet file is damaged, or not one of answers")
		}
	}()
	return f()
}

func (p *parquetRows) each(take func(Row) error) error {
	for read := make([]annotatedRow, 1); ; {
		n := 0
		err := p.guard(func() (err error) {
			read[0] = annotatedRow{}
			n, err = p.file.Read(read)
			return err
		})
		if n == 0 {
			if errors.Is(err, io.EOF) && p.line > 0 {
				return nil
			}
			return p.errorf("", 0, "the Parquet file has no answers, or is damaged")
		}
		p.line++
		row, err := p.row(&read[0])
		if err != nil {
			return err
		}
		if err := take(row); err != nil {
			return err
		}
	}
}

func (p *parquetRows) row(from *annotatedRow) (Row, error) {
	row := Row{
		Kind: from.Kind, Respondent: from.Respondent, Segment: from.Segment, Asked: exact(from.Asked), At: exact(from.At),
		Shown: from.Shown, Picks: from.Picks, Judge: from.Judge, Rationale: from.Rationale,
	}
	var problem string
	if from.Metadata != "" {
		row.Metadata, problem = readMetadata([]byte(from.Metadata))
	}
	switch {
	case problem != "":
		return Row{}, p.errorf(metadataColumn, 0, "%s", problem)
	case len(row.Shown) > maxArms:
		return Row{}, p.errorf(shownColumn, 0, "a row has at most %d arms", maxArms)
	}
	return row, nil
}

func (p *parquetRows) errorf(column string, _ int, format string, arguments ...any) error {
	return &table.Error{File: p.name, Line: p.line, Column: column, Problem: table.Problemf("", format, arguments...)}
}

func (p *parquetRows) currentLine() int { return p.line }
