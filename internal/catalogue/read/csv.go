package read

import (
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// csvEnding is the ending of names of files with comma-separated values.
const csvEnding = ".csv"

// readCSV reads arms from delimited text, see package table for what that may be, of this many bytes, 0 if
// unknown. name is what to call the file.
func readCSV(source io.Reader, name string, size int64, options catalogue.Options) (*catalogue.Table, error) {
	d, err := draftCSV(source, name, size, options)
	if err != nil {
		return nil, err
	}
	d.readList(options)
	return d.finish(options)
}

// draftCSV reads the columns of delimited text. Which of them are numbers is decided by the first block,
// so that the others need no second look.
func draftCSV(source io.Reader, name string, size int64, options catalogue.Options) (*draft, error) {
	blocks, err := table.NewBlocks(source, name)
	if err != nil {
		return nil, err
	}
	if problem := columnsProblem(options.Limits, len(blocks.Header())); problem.Exists() {
		return nil, &table.Error{File: name, Line: blocks.HeaderLine(), Problem: problem}
	}
	whole := &draft{
		Table:    catalogue.Table{Source: name, Columns: csvColumns(blocks, options)},
		nameLine: blocks.HeaderLine(), comma: blocks.Delimiter() == ';',
	}
	taken := int64(0)
	columns := slices.Clone(whole.Columns)
	parts := sync.Pool{New: func() any { return &csvPart{columns: slices.Clone(columns)} }}
	err = table.InOrder(blocks, func(rows *table.Rows) *csvPart {
		part, _ := parts.Get().(*csvPart)
		part.read(rows, name)
		return part
	}, func(part *csvPart) error {
		taken += int64(part.size)
		whole.append(part, size-taken, taken)
		whole.problems.AddAll(&part.problems)
		err := part.err
		parts.Put(part)
		return err
	})
	if err != nil {
		whole.problems.AddError(err)
		return nil, &whole.problems
	}
	whole.Encoding = blocks.Encoding()
	whole.dropUnnamed()
	if len(whole.Lines) == 0 {
		if len(whole.problems.List) == 0 {
			whole.problems.Add(name, 0, "", table.NoRows())
		}
		return nil, &whole.problems
	}
	return whole, nil
}

// csvColumns returns the columns without their values. Those with mostly numbers in the first block are numbers.
func csvColumns(blocks *table.Blocks, options catalogue.Options) []catalogue.Column {
	names := columnNames(blocks.Header())
	kinds := catalogue.Roles(names, options.Kinds)
	seen, numeric := make([]int, len(names)), make([]int, len(names))
	for rows := blocks.First(); rows.Next(); {
		if rows.Len() != len(names) {
			continue
		}
		for i := range names {
			text := string(rows.Text())
			if kinds[i] != catalogue.Unknown || table.IsMissing(text) {
				continue
			}
			seen[i]++
			if table.LooksNumeric(text) {
				numeric[i]++
			}
		}
	}
	columns := make([]catalogue.Column, len(names))
	for i, name := range names {
		columns[i].Name = name
		if kinds[i] == catalogue.Number || kinds[i] == catalogue.Unknown && mostly(numeric[i], seen[i]) {
			columns[i].Kind = catalogue.Number
		}
	}
	return columns
}

// columnNames returns the names of the columns in a header.
func columnNames(header []string) []string {
	names := slices.Clone(header)
	for i := range names {
		names[i] = table.Unprotect(names[i])
	}
	nameUnnamed(names)
	return names
}

// A csvPart is what a block has of a table. It is used for one block after the other.
type csvPart struct {
	size     int // of the block
	lines    []int32
	columns  []catalogue.Column
	problems catalogue.Problems
	err      error // at which reading ended
}

// read reads the columns of a block.
func (part *csvPart) read(rows *table.Rows, file string) {
	part.size = rows.Size()
	room := min(rows.AtMost(), 1+part.size/(2*len(part.columns))) // a value and what is behind it are two bytes
	part.lines = slices.Grow(part.lines[:0], room)
	part.problems = catalogue.Problems{}
	for i := range part.columns {
		part.columns[i].Reset(room)
	}
	isUTF8 := rows.IsUTF8()
	for rows.Next() {
		if rows.Len() != len(part.columns) {
			part.problems.Add(file, rows.Line(), "", table.Ragged(rows.Len(), len(part.columns)))
			continue
		}
		part.lines = append(part.lines, int32(rows.Line()))
		for i := range part.columns {
			c := &part.columns[i]
			if c.Kind != catalogue.Number {
				text := rows.Text()
				if !isUTF8 && !utf8.Valid(text) {
					part.problems.Add(file, rows.Line(), c.Name, table.NotUTF8())
				}
				c.Texts = append(c.Texts, table.Unprotect(string(text)))
				continue
			}
			part.readNumber(c, rows, file)
		}
	}
	part.err = rows.Err()
}

// readNumber reads the next field of a row as a number of a column.
func (part *csvPart) readNumber(c *catalogue.Column, rows *table.Rows, file string) {
	x, decimals, text, ok := rows.Number()
	switch {
	case decimals >= 0:
		c.AddDecimal(x, decimals)
	case ok:
		c.AddNumber(text, x)
	case !utf8.Valid(text):
		part.problems.Add(file, rows.Line(), c.Name, table.NotUTF8())
		c.AddMissing()
	default:
		addNoNumber(c, string(text))
	}
}

// dropUnnamed drops the last columns as far as they have neither a name nor a value.
// Spreadsheets write them.
func (d *draft) dropUnnamed() {
	for last := len(d.Columns) - 1; last > 0; last-- {
		c := &d.Columns[last]
		if c.Name != unnamed(last) || c.Kind == catalogue.Number ||
			slices.ContainsFunc(c.Texts, func(text string) bool { return text != "" }) {
			return
		}
		d.Columns = d.Columns[:last]
	}
}

// append appends the rows of a part. Where room has to be made, it is made for as many rows
// as the bytes left will have, going by those taken; for as many again where that is not known.
func (d *draft) append(part *csvPart, left, taken int64) {
	const spare = 1.02
	rows := len(d.Lines) + len(part.lines)
	room := rows
	if left > 0 {
		room = int(spare*float64(rows)*float64(left)/float64(taken)) + len(part.lines)
	}
	if cap(d.Lines)-len(d.Lines) < len(part.lines) {
		d.Lines = slices.Grow(d.Lines, room)
	}
	d.Lines = append(d.Lines, part.lines...)
	for i := range d.Columns {
		d.Columns[i].AddColumn(&part.columns[i], room)
	}
}
