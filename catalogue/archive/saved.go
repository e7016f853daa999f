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

	"bestpick/catalogue"
	"bestpick/catalogue/encode"
	"bestpick/catalogue/product"
	"bestpick/choice"
	"bestpick/table"
)

// A Saved is all that a study needs of its catalogue. Labels, Descriptions and Images have
// one text an arm, or none at all.
type Catalogue struct {
	Encoding                     *encode.Encoding
	Arms                         *choice.Catalogue
	Labels, Descriptions, Images []string

	// Attributes are the owner's own columns, in the order of the file: those that are features,
	// but no embeddings. A later arm may have none of what the encoding leaves out.
	Attributes []catalogue.Column

	// Profiles are the attributes of a product; nil where arms are listed.
	Profiles *product.Profiles
}

// savedEnding is the ending of the names of saved catalogues.
const savedEnding = ".npz"

// The files in the archive.
const (
	featuresFile = "features.npy"
	encodingFile = "encoding.json"
	armsFile     = "arms.csv"
	profilesFile = "profiles.yaml"
)

// Save writes a catalogue as one ZIP archive that NumPy opens as .npz: the features as a
// matrix of 32-bit numbers, the encoding as JSON, what people see and the attributes as CSV; of a
// product the attributes and the encoding. Nothing is packed.
// The same catalogue gives the same bytes. Line breaks in texts become line feeds.
func Save(w io.Writer, s *Catalogue) error {
	if !slices.Equal(s.Arms.Features(), s.Encoding.Features()) {
		panic("catalogue: the arms to be saved have other features than their encoding")
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

// matrixHeader is how a matrix of 32-bit numbers starts, in version 1.0 of NumPy's format: magic
// bytes, the length of the rest, and a Python dictionary filled up with spaces to a multiple
// of 64 bytes.
func matrixHeader(rows, columns int) []byte {
	const start = "\x93NUMPY\x01\x00"
	dictionary := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, columns)
	used := len(start) + 2 + len(dictionary) + 1
	dictionary += strings.Repeat(" ", (64-used%64)%64) + "\n"
	header := binary.LittleEndian.AppendUint16([]byte(start), uint16(len(dictionary)))
	return append(header, dictionary...)
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
				panic("catalogue: the arms to be saved were not encoded: they have more than 32 bits")
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

// texts returns the columns besides the id, by name, in the order in which they are written.
func (s *Catalogue) texts() (names []string, columns []*[]string) {
	return []string{catalogue.Label.String(), catalogue.Description.String(), catalogue.Image.String()}, []*[]string{&s.Labels, &s.Descriptions, &s.Images}
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

// Load reads what [Save] wrote, bit for bit. name is that of the file, for errors.
func Load(r io.ReaderAt, size int64, name string) (*Catalogue, error) {
	return loadWithin(r, size, name, table.Limits{})
}

// loadWithin does the same within limits.
func loadWithin(r io.ReaderAt, size int64, name string, limits table.Limits) (*Catalogue, error) {
	s, err := load(r, size, limits)
	if err != nil {
		return nil, &table.Error{File: name, Problem: err.Error(), Cause: err}
	}
	return s, nil
}

func load(r io.ReaderAt, size int64, limits table.Limits) (*Catalogue, error) {
	archive, err := openArchive(r, size)
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
	if slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == profilesFile }) {
		return s, s.loadProfiles(archive, size, limits)
	}
	ids, err := s.loadTexts(archive, size, limits)
	if err != nil {
		return nil, err
	}
	return s, s.loadFeatures(archive, size, ids)
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

func damaged(part string, err error) error {
	return fmt.Errorf("the saved catalogue is damaged: %s: %w", part, err)
}

// openArchive reads the directory of an archive, which has a few entries.
func openArchive(r io.ReaderAt, size int64) (*zip.Reader, error) {
	const largestDirectory = 1 << 20 // what the archive ends with included
	budget := &readBudget{ReaderAt: r, left: largestDirectory}
	archive, err := zip.NewReader(budget, size)
	budget.left = math.MaxInt64
	return archive, err
}

// A readBudget fails when more than left bytes are read.
type readBudget struct {
	io.ReaderAt

	left int64
}

func (b *readBudget) ReadAt(p []byte, at int64) (int, error) {
	if int64(len(p)) > b.left {
		return 0, errors.New("the directory is too large")
	}
	b.left -= int64(len(p))
	return b.ReaderAt.ReadAt(p, at)
}

// openPart opens a file of the archive, which returns an error at its end if it is damaged, and says
// how long it is. As nothing is compressed, none is larger than the whole.
func openPart(archive *zip.Reader, name string, size int64) (content io.ReadCloser, length int64, err error) {
	at := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == name })
	if at < 0 {
		return nil, 0, fmt.Errorf("the file is no saved catalogue: there is no %s in it", name)
	}
	file := archive.File[at]
	if file.Method != zip.Store || file.UncompressedSize64 != file.CompressedSize64 || file.CompressedSize64 > uint64(size) {
		return nil, 0, damaged(name, errors.New("its size is wrong"))
	}
	content, err = file.Open()
	if err != nil {
		return nil, 0, damaged(name, worded(err))
	}
	return content, int64(file.UncompressedSize64), nil
}

// Limits of the encoding and the profiles in a saved catalogue, where there are limits.
const (
	largestPart = 16 << 20 // bytes
	maxObjects  = 100_000  // in JSON
)

// readPart returns a file of the archive that is held in memory.
func readPart(archive *zip.Reader, name string, size int64, limits table.Limits) ([]byte, error) {
	content, length, err := openPart(archive, name, size)
	if err != nil {
		return nil, err
	}
	most := table.Limits{Bytes: largestPart}
	if name == profilesFile {
		most = product.FileLimits(limits)
	}
	if problem := most.BytesProblem(length); problem != "" && limits.Bytes > 0 {
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
		return nil, &table.Error{File: name, Problem: fmt.Sprintf("the file has more than %s objects", table.Grouped(maxObjects))}
	}
	return text, content.Close()
}

// atEnd returns an error unless all of a file was read and is as it was written.
func atEnd(content io.Reader) error {
	if _, err := content.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		return errors.New("its contents have changed")
	}
	return nil
}

// worded says what is wrong with the bytes of an archive in our words.
func worded(err error) error {
	for _, wrong := range []error{zip.ErrFormat, zip.ErrAlgorithm, zip.ErrChecksum, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, wrong) {
			return errors.New("its bytes are damaged")
		}
	}
	if at, placed := errors.AsType[*table.Error](err); placed && at.Line > 0 {
		return fmt.Errorf("line %d: %s", at.Line, at.Problem)
	} else if placed {
		return errors.New(at.Problem)
	}
	return err
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
	known := map[string]string{} // values of attributes, which are few: one copy of each is enough
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

// parseHeader adds the attributes that the header names, and returns the texts that it names.
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
