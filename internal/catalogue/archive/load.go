package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/catalogue/product"
	"bestpick/internal/table"
)

// Load reads a catalogue that [Save] wrote, bit for bit. name is the name of the file in errors.
func Load(r io.ReaderAt, size int64, name string) (*Catalogue, error) {
	return loadWithin(r, size, name, table.Limits{})
}

// loadWithin is [Load] within limits.
func loadWithin(r io.ReaderAt, size int64, name string, limits table.Limits) (*Catalogue, error) {
	s, err := load(r, size, limits)
	if err != nil {
		return nil, &table.Error{File: name, Problem: table.Problemf("saved", "%v", err), Cause: err}
	}
	return s, nil
}

func load(r io.ReaderAt, size int64, limits table.Limits) (*Catalogue, error) {
	archive, err := table.OpenZIP(r, size)
	if err != nil {
		return nil, errors.New("the file is no saved catalogue, or it is damaged")
	}
	s := &Catalogue{}
	text, err := readPart(archive, encodingFile, size, limits)
	if err != nil {
		return nil, err
	}
	s.Encoding, err = encode.Parse(text)
	if _, other := errors.AsType[*encode.VersionError](err); other {
		return nil, err
	}
	if err != nil {
		return nil, damaged(encodingFile, err)
	}
	if table.FindEntry(archive, profilesFile) != nil {
		return s, s.loadProfiles(archive, size, limits)
	}
	ids, err := s.loadTexts(archive, size, limits)
	if err != nil {
		return nil, err
	}
	if err := s.loadFeatures(archive, size, ids); err != nil {
		return nil, err
	}
	return s, s.loadContexts(archive, size, limits)
}

// loadTexts reads the ids, and the texts and attributes that are there.
func (s *Catalogue) loadTexts(archive *zip.Reader, size int64, limits table.Limits) (ids []string, err error) {
	content, _, err := openPart(archive, armsFile, size)
	if err != nil {
		return nil, err
	}
	ids, err = s.parseArms(content, limits)
	if errors.Is(err, table.ErrLimit) {
		return nil, err
	}
	if err != nil {
		return nil, damaged(armsFile, worded(err))
	}
	return ids, content.Close()
}

// loadFeatures reads the matrix of features.
func (s *Catalogue) loadFeatures(archive *zip.Reader, size int64, ids []string) error {
	content, length, err := openPart(archive, featuresFile, size)
	if err != nil {
		return err
	}
	features := s.Encoding.Features()
	header, cells := matrixHeader(len(ids), len(features)), len(ids)*len(features)
	start := make([]byte, len(header))
	if length == int64(len(header)+4*cells) {
		_, err = io.ReadFull(content, start)
	}
	if err != nil {
		return damaged(featuresFile, worded(err))
	}
	if !bytes.Equal(start, header) {
		return damaged(featuresFile, fmt.Errorf("it is not %d features of %d arms", len(features), len(ids)))
	}
	numbers := make([]float32, 0, cells)
	block := make([]byte, 1<<16)
	for len(numbers) < cells {
		part := block[:min(len(block), 4*(cells-len(numbers)))]
		if _, err := io.ReadFull(content, part); err != nil {
			return damaged(featuresFile, worded(err))
		}
		for ; len(part) > 0; part = part[4:] {
			numbers = append(numbers, math.Float32frombits(binary.LittleEndian.Uint32(part)))
		}
	}
	if err := atEnd(content); err != nil {
		return damaged(featuresFile, err)
	}
	if s.Arms, err = encode.NewCatalogue(ids, features, numbers); err != nil {
		return damaged(featuresFile, err)
	}
	return content.Close()
}

// parseArms reads the ids, and the texts and attributes that are there.
func (s *Catalogue) parseArms(text io.Reader, limits table.Limits) (ids []string, err error) {
	rows, err := table.NewCSVReader(text, armsFile, limits)
	if err != nil {
		return nil, err
	}
	present, err := s.parseHeader(rows.Row())
	if err != nil {
		return nil, err
	}
	known := map[string]string{} // values of attributes, which are few, so that equal ones share memory
	err = rows.Each(func() error {
		row := rows.Row()
		ids = append(ids, strings.Clone(row[0]))
		for k, column := range present {
			*column = append(*column, strings.Clone(row[k+1]))
		}
		for k := range s.Attributes {
			s.Attributes[k].AddText(row[1+len(present)+k], known)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.settleAttributes()
	return ids, nil
}

// parseHeader adds the attributes in the header, and returns its columns of texts.
func (s *Catalogue) parseHeader(header []string) (present []*[]string, err error) {
	if header[0] != "id" {
		return nil, errors.New("the first column is not id")
	}
	names, columns := s.texts()
	for _, name := range header[1:] {
		if attribute, is := attributeOf(name); is {
			if err := s.addAttribute(attribute); err != nil {
				return nil, err
			}
			continue
		}
		k := slices.Index(names, name)
		if k < 0 || slices.Contains(present, columns[k]) || s.Attributes != nil {
			return nil, fmt.Errorf("%q is no column of it", name)
		}
		*columns[k] = []string{}
		present = append(present, columns[k])
	}
	return present, nil
}

// loadProfiles reads the profiles of a saved product, whose encoding has the kinds of the
// attributes.
func (s *Catalogue) loadProfiles(archive *zip.Reader, size int64, limits table.Limits) error {
	text, err := readPart(archive, profilesFile, size, limits)
	if err != nil {
		return err
	}
	s.Profiles, err = product.Parse(text, profilesFile, func(a product.Attribute) catalogue.Kind {
		if c := s.Encoding.Coding(a.Name); c != nil {
			return c.Kind
		}
		return catalogue.Category // the kind of a constant does not matter
	})
	if err != nil {
		return damaged(profilesFile, err)
	}
	fresh, err := product.NewEncoding(s.Profiles)
	if err != nil {
		return damaged(profilesFile, err)
	}
	if !encode.SameColumns(fresh, s.Encoding) {
		return damaged(profilesFile, errors.New("its attributes are not those of the encoding"))
	}
	if s.Arms, err = s.Profiles.Encode(s.Encoding); err != nil {
		return damaged(profilesFile, err)
	}
	return nil
}
