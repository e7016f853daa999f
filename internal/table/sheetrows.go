package table

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The size of a sheet in Excel.
const (
	maxSheetRows    = 1 << 20
	maxSheetColumns = 1 << 14
)

// SheetRows iterates over the rows of a sheet that have cells.
type SheetRows struct {
	book     *Book
	surveyed Survey // before, or none
	content  io.ReadCloser
	xml      *xmlParser
	number   int
	cells    []string
	err      error

	// The cell that is read.
	column      int // of the last cell
	kind, style string
	inCell      bool
	formula     bool // it has one, and no value so far
	value       runs

	// What a [Survey] counts.
	commas   map[int]bool // columns with texts such as 12,50 €
	merged   []span
	pictures bool   // in cells, or pictures or charts above them
	unsaved  int    // formulas without a value
	columns  []span // whose rows are the columns that are hidden, in order
	omitted  bool   // rows or columns with values are hidden
	hidden   bool   // the row is
}

// Close closes the sheet.
func (r *SheetRows) Close() { _ = r.content.Close() } // it was only read

// Err returns what ended the rows before the end of the sheet, nil if nothing did.
func (r *SheetRows) Err() error { return r.err }

// Number returns the number of the current row, counting from 1.
func (r *SheetRows) Number() int { return r.number }

// Cells returns the cells of the current row, up to the last that has a value. They are valid until the next row.
func (r *SheetRows) Cells() []string { return r.cells }

// Next moves to the next row and reports whether there is one.
func (r *SheetRows) Next() bool {
	for r.err == nil {
		e, err := r.xml.next()
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			r.err = err
			return false
		}
		switch {
		case r.inCell && (e.name != "c" || e.start):
			r.formula = (r.formula || e.name == "f") && e.name != "v"
			r.value.read(e)
		case e.name == "c" && e.start:
			r.startCell(e)
		case e.name == "c":
			r.endCell()
		case e.name == "row" && e.start:
			r.startRow(e)
		case e.name == "row" && r.hidden:
			r.omitted = r.omitted || len(r.cells) > 0
		case e.name == "row":
			return true
		case e.name == "col" && e.start && isTrue(e.attribute("hidden")):
			r.hideColumns(e)
		case e.name == "mergeCell" && e.start && len(r.merged) < maxSheetRows:
			r.merged = append(r.merged, spanOf(e.attribute("ref")))
		case e.name == "drawing" && e.start:
			r.pictures = true
		}
	}
	return false
}

// hideColumns notes columns that are hidden. No column is in two spans, so that a file cannot make every cell a search through
// very many.
func (r *SheetRows) hideColumns(e element) {
	s := spanOf("A" + e.attribute("min") + ":A" + e.attribute("max"))
	if at, known := r.hiddenAmong(s.top, s.bottom); s.top > 0 && s.top <= maxSheetColumns && !known {
		r.columns = slices.Insert(r.columns, at, s)
	}
}

// hiddenAmong returns the place of hidden columns that are among some, and whether there are any.
func (r *SheetRows) hiddenAmong(first, last int) (at int, is bool) {
	return slices.BinarySearchFunc(r.columns, first, func(s span, first int) int {
		switch {
		case s.bottom < first:
			return -1
		case s.top > last:
			return 1
		}
		return 0
	})
}

func (r *SheetRows) startRow(e element) {
	number := r.number + 1
	if at := e.attribute("r"); at != "" {
		number, _ = strconv.Atoi(at)
	}
	if number <= r.number || number > maxSheetRows {
		r.fail(r.number+1, "the row is out of order or beyond row %d", maxSheetRows)
		return
	}
	r.number, r.column, r.cells, r.hidden = number, 0, r.cells[:0], isTrue(e.attribute("hidden"))
}

func (r *SheetRows) startCell(e element) {
	r.inCell, r.formula = true, false
	column := r.column + 1
	if at := e.attribute("r"); at != "" {
		column = columnOf(at)
	}
	if column <= r.column || column > maxSheetColumns {
		r.fail(r.number, "a cell is out of order or beyond column %d", maxSheetColumns)
		return
	}
	r.column = column
	r.kind, r.style = e.attribute("t"), e.attribute("s")
	if e.attribute("vm") != "" {
		r.pictures = true // a rich value, which a picture in a cell is
	}
	r.value = runs{text: r.value.text[:0]}
}

func (r *SheetRows) fail(row int, format string, arguments ...any) {
	r.err = fmt.Errorf("the workbook is damaged: row %d: %s", row, fmt.Sprintf(format, arguments...))
}

// endCell adds the cell to its row.
func (r *SheetRows) endCell() {
	r.inCell = false
	text, ok := r.text()
	if !ok {
		r.fail(r.number, "a cell refers to a text that is not there")
		return
	}
	if _, hidden := r.hiddenAmong(r.column, r.column); hidden {
		r.omitted = r.omitted || text != ""
		return
	}
	if text == "" {
		if r.formula {
			r.unsaved++
		}
		return
	}
	for len(r.cells) < r.column-1 {
		r.cells = append(r.cells, "")
	}
	r.cells = append(r.cells, text)
}

// text returns the value of a cell, by its type.
func (r *SheetRows) text() (text string, ok bool) {
	value := string(r.value.text)
	if value == "" {
		return "", true
	}
	switch r.kind {
	case "s":
		text, ok = r.book.texts.at(strings.TrimSpace(value))
		r.noteComma(text)
		return oneLine(text), ok
	case "b":
		return strconv.FormatBool(isTrue(value)), true
	case "e":
		return "", true // such as #N/A: a value that is missing
	case "str", "inlineStr", "d":
		r.noteComma(value)
		return oneLine(value), true
	}
	number := plainNumber(value)
	if style, err := strconv.Atoi(r.style); err == nil && style >= 0 && style < len(r.book.styles) {
		if r.book.styles[style].date {
			return r.book.date(value), true
		}
		number = r.book.styles[style].write(number)
	}
	if r.surveyed.commas[r.column] {
		number = strings.Replace(number, ".", ",", 1)
	}
	return number, true
}

// decimalComma matches numbers whose comma cannot separate thousands.
var decimalComma = regexp.MustCompile(`^[^\d,.]{0,4}\d[\d.]*,(\d\d?|\d{4,})([^\d,.]{0,9})$`)

// noteComma notes that decimals take a comma in a column, if they do in a text. Its numbers are then written alike.
func (r *SheetRows) noteComma(text string) {
	if strings.Contains(text, ",") && decimalComma.MatchString(text) {
		if r.commas == nil {
			r.commas = map[int]bool{}
		}
		r.commas[r.column] = true
	}
}

// columnOf returns the number of the column of a cell such as B7, counting from 1; 0 if it has none.
func columnOf(cell string) int {
	column := 0
	for i := range len(cell) {
		if cell[i] < 'A' || cell[i] > 'Z' || column > maxSheetColumns {
			break
		}
		column = 26*column + int(cell[i]-'A') + 1
	}
	return column
}

// plainNumber returns a number with as few digits as tell it from others: Excel writes 1.1 as 1.1000000000000001.
func plainNumber(text string) string {
	const safe, large, small = 15, 1e21, 1e-6
	if len(text) <= safe && !strings.ContainsAny(text, "eE") {
		return text
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	format := byte('f')
	if size := math.Abs(x); size >= large || size < small && x != 0 {
		format = 'e'
	}
	return strconv.FormatFloat(x, format, -1, 64)
}

// sharedTexts are the texts that cells refer to by number, one after the other.
type sharedTexts struct {
	all  strings.Builder
	ends []uint32
}

// at returns a text, "" if there is none with this number.
func (t *sharedTexts) at(number string) (string, bool) {
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(t.ends) {
		return "", false
	}
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.all.String()[start:t.ends[i]], true
}

// readTexts reads the shared texts.
func (b *Book) readTexts(name string) error {
	most := int64(math.MaxUint32) // which an end can be
	if b.limits.Bytes > 0 {
		most = maxTextBytes
	}
	var runs runs
	return b.each(name, most, func(e element) error {
		runs.read(e)
		if e.name == "si" && !e.start {
			b.texts.all.Write(runs.text)
			b.texts.ends = append(b.texts.ends, uint32(b.texts.all.Len()))
			runs.text = runs.text[:0]
			if problem := b.limits.ValuesProblem(len(b.texts.ends), 1); problem.Exists() {
				return problem
			}
		}
		return nil
	})
}

// runs collects the text of a cell, which is in one or more runs. How to pronounce it is left out.
type runs struct {
	text     []byte
	inText   bool // inside <t> or <v>
	phonetic int  // depth of <rPh>
}

func (r *runs) read(e element) {
	switch e.name {
	case "":
		if r.inText && r.phonetic == 0 {
			r.text = append(r.text, e.text...)
		}
	case "rPh":
		r.phonetic = 0
		if e.start {
			r.phonetic = 1
		}
	case "t", "v":
		r.inText = e.start
	}
}

// oneLine returns a text in one line, so that rows of a sheet are lines of a
func oneLine(text string) string {
	text = strings.ReplaceAll(text, "_x000D_", "")
	if !strings.ContainsAny(text, "\r\n") {
		return text
	}
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool { return c == '\r' || c == '\n' }), " ")
}

// An element is the start or the end of an XML element, or text between elements.
type element struct {
	name       string // without its namespace; "" for text
	start      bool
	text       []byte // valid until the next element
	attributes []xml.Attr
}

// attribute returns the value of an attribute, "" if there is none.
func (e element) attribute(name string) string {
	for _, a := range e.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

const (
	maxDepth      = 64       // of elements
	maxTokenBytes = 64 << 20 // of a text or of a start of an element, where the limits set none
)

// A xmlParser reads XML of bounded depth, whose texts and attributes are of bounded length. The decoder
// does not expand entities that the file declares.
type xmlParser struct {
	decoder *xml.Decoder
	budget  *tokenBudget
	depth   int
}

func newXMLParser(source io.Reader, limits Limits) *xmlParser {
	budget := &tokenBudget{source: bufio.NewReaderSize(source, 1<<16), most: cmp.Or(limits.RowBytes, maxTokenBytes)}
	return &xmlParser{decoder: xml.NewDecoder(budget), budget: budget}
}

// next returns the next element or text, [io.EOF] after the last.
func (p *xmlParser) next() (element, error) {
	for {
		p.budget.left = p.budget.most
		token, err := p.decoder.Token()
		if errors.Is(err, io.EOF) {
			return element{}, io.EOF
		}
		if err != nil {
			return element{}, p.wrong(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if p.depth++; p.depth > maxDepth {
				return element{}, fmt.Errorf("the workbook's XML is nested more than %d levels deep", maxDepth)
			}
			return element{name: t.Name.Local, start: true, attributes: t.Attr}, nil
		case xml.EndElement:
			p.depth--
			return element{name: t.Name.Local}, nil
		case xml.CharData:
			return element{text: t}, nil
		}
	}
}

// wrong returns the error of malformed XML.
func (p *xmlParser) wrong(err error) error {
	if syntax, is := errors.AsType[*xml.SyntaxError](err); is {
		return fmt.Errorf("the workbook's XML is malformed: %s", syntax.Msg)
	}
	if errors.Is(err, errLongToken) {
		return Limits{RowBytes: p.budget.most}.RowProblem(p.budget.most + 1)
	}
	return errors.New("the workbook is damaged")
}

var errLongToken = errors.New("the text is too long")

// A tokenBudget fails when one token takes more than most bytes.
type tokenBudget struct {
	source     *bufio.Reader
	most, left int
}

// ReadByte makes the decoder read from here without another buffer.
func (b *tokenBudget) ReadByte() (byte, error) {
	if b.left--; b.left < 0 {
		return 0, errLongToken
	}
	return b.source.ReadByte()
}

// Read is part of io.Reader. The decoder calls ReadByte.
func (b *tokenBudget) Read(p []byte) (int, error) { return b.source.Read(p) }
