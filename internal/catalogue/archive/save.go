package archive

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"bestpick/internal/catalogue"
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
		parts = []part{{profilesFile, writeProfiles}, {encodingFile, writeEncoding}}
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
		row = append(row, attributeHeader(s.Attributes[k].Name))
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

func writeProfiles(w io.Writer, s *Catalogue) error { return s.Profiles.Write(w) }

// attributeMark precedes the names of attributes among the columns of a saved catalogue, so that no
// column of the owner can be mistaken for the id or the label.
const attributeMark = "attribute:"

// attributeHeader returns the name of an attribute's column in a saved catalogue. CSV does not
// preserve carriage returns, so they are written as \r.
func attributeHeader(name string) string {
	return attributeMark + strings.NewReplacer(`\`, `\\`, "\r", `\r`).Replace(name)
}

// attributeOf returns the name of the attribute in a column of a saved catalogue.
func attributeOf(header string) (name string, is bool) {
	name, is = strings.CutPrefix(header, attributeMark)
	return strings.NewReplacer(`\\`, `\`, `\r`, "\r").Replace(name), is
}

// addAttribute adds an attribute without values, of the kind in the encoding.
func (s *Catalogue) addAttribute(name string) error {
	if slices.ContainsFunc(s.Attributes, func(c catalogue.Column) bool { return c.Name == name }) {
		return fmt.Errorf("the attribute %q is there twice", name)
	}
	column := catalogue.Column{Name: name}
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
