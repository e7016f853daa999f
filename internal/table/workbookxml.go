package table

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

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
