package read

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A Source is a file or an upload of arms.
type Source struct {
	Name     string // its ending tells the format
	Contents Contents

	// IDs opens the file of ids of a .npy, and returns its name; nil if there is none.
	IDs func() (io.ReadCloser, string, error)
}

// Contents are the contents of a file.
type Contents interface {
	io.Reader
	io.ReaderAt
}

// Size returns the size of the file in bytes, if it is known.
func (s Source) Size() (int64, bool) { return sizeOf(s.Contents) }

// Table reads a table of arms: see [File].
func (s Source) Table(options catalogue.Options) (*catalogue.Table, error) {
	if !startsWith(s.Contents, npyMagic) && catalogue.Ending(s.Name) != ".npy" {
		return Table(s.Contents, s.Name, options)
	}
	ids, name, err := s.IDs()
	if err != nil {
		return nil, err
	}
	if ids == nil {
		return NPY(s.Contents, s.Name, nil, "", options)
	}
	defer func() { _ = ids.Close() }() // they were only read
	return NPY(s.Contents, s.Name, ids, name, options)
}

// File reads a table of arms from a file: what [Table] reads, or a .npy. The ids of arms.npy
// are in Options.IDs or else in the first of arms.ids, arms.ids.txt, arms.txt and arms.csv
// that there is; without any, rows are numbered. Images that are files, their paths starting from the folder of the table,
// must be there.
func File(path string, options catalogue.Options) (*catalogue.Table, error) {
	source, options, err := OpenFile(path, options)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	return source.Table(options)
}

// An OpenedFile is a file of arms.
type OpenedFile struct {
	Source

	file *os.File
}

// OpenFile opens a file of arms. It returns the options with Folder set. The caller must close the
// file.
func OpenFile(path string, options catalogue.Options) (*OpenedFile, catalogue.Options, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, catalogue.Options{}, table.ReadError(path, err)
	}
	options.Folder = filepath.Dir(path)
	return &OpenedFile{Source{path, file, idsBeside(path, options.IDs)}, file}, options, nil
}

// Close closes the file. It was only read, so that there is nothing to report.
func (f *OpenedFile) Close() { _ = f.file.Close() }

// idsBeside returns what opens the file with the ids of a .npy.
func idsBeside(path, chosen string) func() (io.ReadCloser, string, error) {
	return func() (io.ReadCloser, string, error) {
		file, err := openIDs(path, chosen)
		if err != nil || file == nil {
			return nil, "", err
		}
		return file, file.Name(), nil
	}
}

// openIDs opens the file of ids of a .npy, nil if there is none.
func openIDs(path, chosen string) (*os.File, error) {
	if chosen != "" {
		file, err := os.Open(chosen)
		if err != nil {
			return nil, table.ReadError(chosen, err)
		}
		return file, nil
	}
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for _, ending := range []string{".ids", ".ids.txt", ".txt", csvEnding} {
		file, err := os.Open(stem + ending)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, table.ReadError(stem+ending, err)
		}
	}
	return nil, nil //nolint:nilnil // as documented
}
