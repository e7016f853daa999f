package catalogue

import (
	"io"
	"slices"

	"bestpick/table"
)

// ReadCSV reads arms from delimited text: see package table for what that may be. name is
// what to call the file.
func ReadCSV(source io.Reader, name string, options Options) (*Table, error) {
	d, err := draftCSV(source, name, options)
	if err != nil {
		return nil, err
	}
	return d.finish(options)
}

// draftCSV reads the columns of delimited text. Which of them are numbers is decided by the
// first block, so that the others need no second look.
func draftCSV(source io.Reader, name string, options Options) (*draft, error) {
	blocks, err := table.NewBlocks(source, name)
	if err != nil {
		return nil, err
	}
	columns := csvColumns(blocks, options)
	var parts []*csvPart
	whole := &draft{Table: Table{Source: name, Columns: columns}, nameLine: blocks.HeaderLine()}
	err = table.InOrder(blocks, func(rows *table.Rows) *csvPart {
		return readBlock(rows, name, columns)
	}, func(part *csvPart) error {
		parts = append(parts, part)
		whole.problems.addAll(&part.problems)
		return part.err
	})
	if err != nil {
		whole.problems.addError(err)
		return nil, &whole.problems
	}
	whole.assemble(parts)
	if len(whole.Lines) == 0 {
		whole.problems.add(name, 0, "", table.NoRows)
		return nil, &whole.problems
	}
	return whole, nil
}

// csvColumns returns the columns without their values.
func csvColumns(blocks *table.Blocks, options Options) []Column {
	header := blocks.Header()
	kinds := roles(header, options)
	seen, numeric := make([]int, len(header)), make([]int, len(header))
	for rows := blocks.First(); rows.Next(); {
		if rows.Len() != len(header) {
			continue
		}
		for i := range header {
			if kinds[i] != Unknown {
				rows.Text()
				continue
			}
			if _, field, ok := rows.Number(); ok {
				seen[i]++
				numeric[i]++
			} else if text := string(field); !table.IsMissing(text) {
				seen[i]++
				if table.LooksNumeric(text) {
					numeric[i]++
				}
			}
		}
	}
	columns := make([]Column, len(header))
	for i, name := range header {
		columns[i].Name = name
		if kinds[i] == Number || kinds[i] == Unknown && mostlyNumbers(numeric[i], seen[i]) {
			columns[i].Kind = Number
		}
	}
	return columns
}

// mostlyNumbers reports whether so many of the values seen being numbers makes a column one
// of numbers.
func mostlyNumbers(numbers, seen int) bool {
	return seen > 0 && float64(numbers) >= numericShare*float64(seen)
}

// A csvPart is what a block has of a table.
type csvPart struct {
	lines    []int32
	columns  []Column
	problems Problems
	err      error // at which reading ended
}

// readBlock reads the columns of a block.
func readBlock(rows *table.Rows, file string, columns []Column) *csvPart {
	part := &csvPart{columns: slices.Clone(columns)}
	room := rows.AtMost()
	part.lines = make([]int32, 0, room)
	for i := range part.columns {
		part.columns[i].makeRoom(room)
	}
	for rows.Next() {
		if rows.Len() != len(columns) {
			part.problems.add(file, rows.Line(), "", "%s", table.Ragged(rows.Len(), len(columns)))
			continue
		}
		part.lines = append(part.lines, int32(rows.Line()))
		for i := range part.columns {
			c := &part.columns[i]
			if c.Kind != Number {
				c.Texts = append(c.Texts, string(rows.Text()))
				continue
			}
			x, text, ok := rows.Number()
			if !ok {
				part.problems.add(file, rows.Line(), c.Name, "%s", table.NoNumber(string(text)))
			}
			c.Numbers = append(c.Numbers, x)
		}
	}
	part.err = rows.Err()
	return part
}

// makeRoom makes room for the values of so many rows.
func (c *Column) makeRoom(rows int) {
	if c.Kind == Number {
		c.Numbers = make([]float64, 0, rows)
	} else {
		c.Texts = make([]string, 0, rows)
	}
}

// assemble puts the parts of a table together, letting go of them column by column.
func (d *draft) assemble(parts []*csvPart) {
	rows := 0
	for _, part := range parts {
		rows += len(part.lines)
	}
	d.Lines = make([]int32, 0, rows)
	for _, part := range parts {
		d.Lines = append(d.Lines, part.lines...)
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		c.makeRoom(rows)
		for _, part := range parts {
			from := &part.columns[i]
			c.Numbers = append(c.Numbers, from.Numbers...)
			c.Texts = append(c.Texts, from.Texts...)
			from.Numbers, from.Texts = nil, nil
		}
	}
}
