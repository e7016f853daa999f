package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/product"
	"bestpick/internal/table"
)

// savedEnding is the extension of saved catalogues.
const savedEnding = ".npz"

// Save writes a catalogue as one ZIP archive that NumPy opens as .npz: the features as a matrix of
// 32-bit numbers, the encoding as JSON, the cards and the attributes as CSV; for a product the
// attributes and the encoding; contexts as JSON. Nothing is compressed. The same catalogue gives the same bytes. Line
// breaks in texts become line feeds.
func Save(w io.Writer, s *Catalogue) error {
	if !slices.Equal(s.Arms.Features(), s.Encoding.Features()) {
		panic("archive: the arms to be saved have other features than their encoding")
	}
	archive := zip.NewWriter(w)
	type part struct {
		name  string
		write func(io.Writer, *Catalogue) error
	}
	parts := []part{{featuresFile, writeFeatures}, {encodingFile, writeEncoding}, {armsFile, writeTexts}}
	if s.Profiles != nil {
		parts = []part{
			{profilesFile, func(w io.Writer, s *Catalogue) error { return s.Profiles.Write(w) }}, {encodingFile, writeEncoding},
		}
	}
	if s.Contexts != nil {
		parts = append(parts, part{contextsFile, writeContexts})
	}
	for _, part := range parts {
		header := &zip.FileHeader{Name: part.name, Method: zip.Store, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if err := part.write(file, s); err != nil {
			return err
		}
	}
	return archive.Close()
}

func writeFeatures(w io.Writer, s *Catalogue) error {
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.Write(matrixHeader(s.Arms.Len(), s.Arms.Dim())); err != nil {
		return err
	}
	var row []byte
	for i := range s.Arms.Len() {
		row = row[:0]
		for _, x := range s.Arms.Arm(i) {
			if float64(float32(x)) != x {
				panic("archive: the arms to be saved were not encoded: they have more than 32 bits")
			}
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(float32(x)))
		}
		if _, err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeEncoding(w io.Writer, s *Catalogue) error {
	text, err := json.MarshalIndent(s.Encoding, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func writeTexts(w io.Writer, s *Catalogue) error {
	out := csv.NewWriter(w)
	names, columns := s.texts()
	row := []string{"id"}
	for k, column := range columns {
		if *column != nil {
			row = append(row, names[k])
		}
	}
	for k := range s.Attributes {
		row = append(row, attributeHeader(&s.Attributes[k]))
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for i := range s.Arms.Len() {
		row = append(row[:0], s.Arms.ID(i))
		for _, column := range columns {
			if *column != nil {
				row = append(row, strings.ReplaceAll((*column)[i], "\r\n", "\n"))
			}
		}
		for k := range s.Attributes {
			row = append(row, strings.ReplaceAll(s.Attributes[k].Text(i), "\r\n", "\n"))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// attributeMark precedes the names of attributes among the columns of a saved catalogue, so that no
// column of the owner can be mistaken for the id or the label.
const attributeMark = "attribute:"

// shownMark precedes the names of attributes that are only shown.
const shownMark = "shown:"

// attributeHeader returns the name of an attribute's column in a saved catalogue. CSV does not
// preserve carriage returns, so they are written as \r.
func attributeHeader(c *catalogue.Column) string {
	mark := attributeMark
	if c.Kind == catalogue.Shown {
		mark = shownMark
	}
	return mark + strings.NewReplacer(`\`, `\\`, "\r", `\r`).Replace(c.Name)
}

// attributeOf returns the attribute in a column of a saved catalogue, which is Shown or of an unknown kind.
func attributeOf(header string) (c catalogue.Column, is bool) {
	name, is := strings.CutPrefix(header, attributeMark)
	if !is {
		if name, is = strings.CutPrefix(header, shownMark); is {
			c.Kind = catalogue.Shown
		}
	}
	c.Name = strings.NewReplacer(`\\`, `\`, `\r`, "\r").Replace(name)
	return c, is
}

// addAttribute adds an attribute without values, of the kind in the encoding.
func (s *Catalogue) addAttribute(column catalogue.Column) error {
	name := column.Name
	if slices.ContainsFunc(s.Attributes, func(c catalogue.Column) bool { return c.Name == name }) {
		return fmt.Errorf("the attribute %q is there twice", name)
	}
	if coding := s.Encoding.Coding(name); coding != nil {
		column.Kind, column.Format = coding.Kind, coding.Format
	}
	if column.Kind == catalogue.Embedding {
		return fmt.Errorf("the attribute %q is an embedding", name)
	}
	s.Attributes = append(s.Attributes, column)
	return nil
}

// settleAttributes recognises the attributes that the encoding does not have, because they are the
// same for all of the first arms.
func (s *Catalogue) settleAttributes() {
	for k := range s.Attributes {
		c := &s.Attributes[k]
		if c.Kind != catalogue.Unknown {
			continue
		}
		texts := c.Texts
		c.Kind = catalogue.KindOfLevels(texts)
		if c.Kind == catalogue.Number {
			c.Texts = nil
			for _, text := range texts {
				c.AddText(text, nil)
			}
		}
	}
}

// extended returns an attribute with the values of added arms, empty if they have none.
func extended(c *catalogue.Column, t *catalogue.Table) catalogue.Column {
	all := c.First(c.Len())
	later, known := t.Column(c.Name), map[string]string{}
	for row := range t.Len() {
		text := ""
		if later != nil && later.Kind != catalogue.Embedding {
			text = later.Text(row)
		}
		all.AddText(text, known)
	}
	return all
}

// The files in the archive.
const (
	featuresFile = "features.npy"
	encodingFile = "encoding.json"
	armsFile     = "arms.csv"
	profilesFile = "profiles.yaml"
	contextsFile = "contexts.json"
)

// matrixHeader returns the header of a matrix of 32-bit numbers, in version 1.0 of NumPy's format:
// magic bytes, the length of the rest, and a Python dictionary padded with spaces to a multiple of
// 64 bytes.
func matrixHeader(rows, columns int) []byte {
	const start = "\x93NUMPY\x01\x00"
	dictionary := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	used := len(start) + 2 + len(dictionary) + 1
	dictionary += strings.Repeat(" ", (64-used%64)%64) + "\n"
	header := binary.LittleEndian.AppendUint16([]byte(start), uint16(len(dictionary)))
	return append(header, dictionary...)
}

func damaged(part string, err error) error {
	return fmt.Errorf("the saved catalogue is damaged: %s: %w", part, err)
}

// openPart opens a file of the archive and returns its length. Reading it returns an error at the
// end if it is damaged. Nothing is compressed, so no file is larger than the archive.
func openPart(archive *zip.Reader, name string, size int64) (content io.ReadCloser, length int64, err error) {
	file := table.FindEntry(archive, name)
	if file == nil {
		return nil, 0, fmt.Errorf("the file is no saved catalogue: there is no %s in it", name)
	}
	if file.Method != zip.Store || file.UncompressedSize64 != file.CompressedSize64 || file.CompressedSize64 > uint64(size) {
		return nil, 0, damaged(name, errors.New("its size is wrong"))
	}
	content, err = file.Open()
	if err != nil {
		return nil, 0, damaged(name, worded(err))
	}
	return content, int64(file.UncompressedSize64), nil
}

// Limits of the encoding and the profiles in a saved catalogue, if there are limits.
const (
	maxPartBytes = 16 << 20 // bytes
	maxObjects   = 100_000  // in JSON
)

// readPart returns a file of the archive in memory.
func readPart(archive *zip.Reader, name string, size int64, limits table.Limits) ([]byte, error) {
	content, length, err := openPart(archive, name, size)
	if err != nil {
		return nil, err
	}
	most := table.Limits{Bytes: maxPartBytes}
	if name == profilesFile {
		most = product.FileLimits(limits)
	}
	if problem := most.BytesProblem(length); problem.Exists() && limits.Bytes > 0 {
		return nil, &table.Error{File: name, Problem: problem}
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(content, text); err != nil {
		return nil, damaged(name, worded(err))
	}
	if err := atEnd(content); err != nil {
		return nil, damaged(name, err)
	}
	if bytes.Count(text, []byte{'{'}) > maxObjects && limits.Bytes > 0 {
		return nil, &table.Error{File: name, Problem: table.Problemf("many-objects", "the file has more than %s objects",
			table.Grouped(maxObjects))}
	}
	return text, content.Close()
}

// atEnd returns an error if a file was not read completely or is damaged.
func atEnd(content io.Reader) error {
	if _, err := content.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		return errors.New("its contents have changed")
	}
	return nil
}

// worded rewords the errors of a damaged archive.
func worded(err error) error {
	for _, wrong := range []error{zip.ErrFormat, zip.ErrAlgorithm, zip.ErrChecksum, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, wrong) {
			return errors.New("its bytes are damaged")
		}
	}
	if at, placed := errors.AsType[*table.Error](err); placed && at.Line > 0 {
		return fmt.Errorf("line %d: %w", at.Line, at.Problem)
	} else if placed {
		return at.Problem
	}
	return err
}
