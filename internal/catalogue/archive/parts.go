package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"bestpick/internal/catalogue/product"
	"bestpick/internal/table"
)

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
