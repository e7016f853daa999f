package read

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// NPY reads arms from a matrix of NumPy, one a row, and their ids from a file beside it:
// one a line, or a table if its name says so (.csv, .tsv), whose other columns are the arms'
// too. Without ids, nil, rows are numbered from 1. The names are what to call the files.
func NPY(vectors io.Reader, name string, ids io.Reader, idsName string, options catalogue.Options) (*catalogue.Table, error) {
	d := &draft{Table: catalogue.Table{Source: name}}
	if ids != nil {
		var err error
		if d, err = draftIDs(ids, idsName, options); err != nil {
			return nil, err
		}
	}
	rows := d.Len()
	matrix := &draft{Table: catalogue.Table{Source: name}}
	if err := matrix.readMatrix(vectors, options.Limits); err != nil && ids == nil {
		return nil, err
	} else if err != nil {
		matrix.problems.AddError(err)
	} else if n := matrix.Len(); ids != nil && n != rows {
		matrix.problems.Add(name, 0, "", table.Problemf("ids-number", "there are %d rows, but %d ids in %s", n, rows, idsName))
	} else if ids == nil {
		d.Columns = []catalogue.Column{numbered(n)}
	}
	d.problems.AddAll(&matrix.problems)
	d.Columns = append(d.Columns, matrix.Columns...)
	t, err := d.finish(options)
	if err != nil {
		return nil, err
	}
	t.Source, t.Lines = name, nil
	return t, nil
}

// numbered returns the numbers of rows as a column of ids.
func numbered(rows int) catalogue.Column {
	c := catalogue.Column{Name: "id", Texts: make([]string, rows)}
	for i := range c.Texts {
		c.Texts[i] = strconv.Itoa(i + 1)
	}
	return c
}

// isDelimited reports whether a file of ids is a table, by its name.
func isDelimited(name string) bool {
	return table.Ending(name) == csvEnding || table.Ending(name) == ".tsv"
}

// draftIDs reads the file of ids.
func draftIDs(source io.Reader, name string, options catalogue.Options) (*draft, error) {
	if isDelimited(name) {
		return draftCSV(source, name, options)
	}
	text, err := table.OpenText(source, name)
	if err != nil {
		return nil, err
	}
	d := &draft{Table: catalogue.Table{Source: name, Columns: []catalogue.Column{{Name: "id"}}}}
	longest := cmp.Or(options.Limits.RowBytes, maxIDBytes)
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		line := len(d.Lines) + 1
		if problem := options.Limits.RowsProblem(int64(line)); problem.Exists() {
			return nil, &table.Error{File: name, Line: line, Problem: problem}
		}
		if !utf8.Valid(lines.Bytes()) {
			d.problems.Add(name, line, "", table.NotUTF8())
		}
		d.Lines = append(d.Lines, int32(line))
		d.Columns[0].Texts = append(d.Columns[0].Texts, strings.TrimSpace(lines.Text()))
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &table.Error{File: name, Line: len(d.Lines) + 1, Problem: table.Limits{RowBytes: longest}.RowProblem(longest + 1)}
	case err != nil:
		return nil, table.ReadError(name, err)
	}
	d.Encoding = text.Encoding()
	return d, nil
}

// maxIDBytes is the maximum length of an id.
const maxIDBytes = 64 << 20

// readMatrix reads a matrix as a column. It never trusts the header with the memory: where
// the size of the file is not known, the room grows with what is read.
func (d *draft) readMatrix(source io.Reader, limits table.Limits) error {
	header, err := readNPYHeader(source, d.Source)
	if err != nil {
		return err
	}
	if problem := header.limitProblem(limits); problem.Exists() {
		return &table.Error{File: d.Source, Problem: problem}
	}
	c := catalogue.Column{Name: vectorsName, Kind: catalogue.Embedding, Width: header.columns}
	total := header.rows * header.columns
	if size, known := sizeOf(source); known && size != header.length+int64(total*header.size) {
		return &table.Error{
			File: d.Source,
			Problem: table.Problemf("npy-size", "the file has %s bytes, but %d × %d numbers of type %s take %s",
				table.Grouped(int(size)), header.rows, header.columns, header.descr, table.Grouped(int(header.length)+total*header.size)),
		}
	} else if known {
		c.Vectors = make([]float32, 0, total)
	}
	if err := d.readNumbers(source, &c, header); err != nil {
		return err
	}
	if n, _ := io.ReadFull(source, make([]byte, 1)); n > 0 {
		return &table.Error{File: d.Source, Problem: table.Problemf("npy-behind", "the file goes on behind its %d × %d numbers",
			header.rows, header.columns)}
	}
	if header.fortran {
		c.Vectors = transposed(c.Vectors, header.rows, header.columns)
	}
	d.Columns = []catalogue.Column{c}
	return nil
}

// vectorsName is what the embedding of a .npy is called.
const vectorsName = "e"

// readNumbers reads the numbers of a matrix in blocks.
func (d *draft) readNumbers(source io.Reader, c *catalogue.Column, header *npyHeader) error {
	const blockNumbers = 1 << 18
	total := header.rows * header.columns
	// Numbers as this machine has a []float32 are read to where they stay, at the speed of reading.
	inMemory := header.descr[1:] == "f4" && header.descr[0] != '>' && binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	var block []byte
	for len(c.Vectors) < total {
		start := len(c.Vectors)
		n := min(blockNumbers, total-start)
		c.Vectors = slices.Grow(c.Vectors, n)[:start+n]
		numbers := c.Vectors[start:]
		if inMemory {
			block = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 4*len(numbers)) //nolint:gosec // any bytes are some numbers
		} else if block == nil {
			block = make([]byte, n*header.size)
		}
		block = block[:n*header.size]
		if _, err := io.ReadFull(source, block); err != nil {
			return d.endsEarly(err, header)
		}
		for i := 0; i < n && !inMemory; i++ {
			numbers[i] = float32(header.number(block[i*header.size:]))
		}
		d.noteNotFinite(numbers, start, block, header)
	}
	return nil
}

// endsEarly words why a block cannot be read.
func (d *draft) endsEarly(err error, header *npyHeader) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return table.ReadError(d.Source, err)
	}
	return &table.Error{File: d.Source, Problem: table.Problemf("npy-short",
		"the data end too early: the shape says %d × %d numbers", header.rows, header.columns)}
}

// noteNotFinite notes the numbers of a block, which starts at a place, that are none, or none in 32 bits.
func (d *draft) noteNotFinite(numbers []float32, start int, block []byte, header *npyHeader) {
	for i, number := range numbers {
		if number-number == 0 {
			continue
		}
		row, column := (start+i)/header.columns, (start+i)%header.columns
		if header.fortran {
			row, column = (start+i)%header.rows, (start+i)/header.rows
		}
		name := memberName(vectorsName, column)
		if x := header.number(block[i*header.size:]); x-x == 0 {
			d.single(row, name, x)
		} else {
			d.problem(row, name, table.NoNumber(fmt.Sprint(x)))
		}
	}
}

// transposed returns a matrix row by row that is given column by column.
func transposed(byColumn []float32, rows, columns int) []float32 {
	byRow := make([]float32, len(byColumn))
	for column := range columns {
		for row, x := range byColumn[column*rows : (column+1)*rows] {
			byRow[row*columns+column] = x
		}
	}
	return byRow
}
