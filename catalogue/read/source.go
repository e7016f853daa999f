package read

import (
	"io"

	"bestpick/catalogue"
)

// A Source is a file or an upload of arms.
type Source struct {
	Name     string // its ending tells the format
	Contents Contents

	// IDs opens the file of ids of a .npy, and returns its name.
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
	defer func() { _ = ids.Close() }() // they were only read
	return NPY(s.Contents, s.Name, ids, name, options)
}
