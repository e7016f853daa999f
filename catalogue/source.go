package catalogue

import "io"

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
func (s Source) Table(options Options) (*Table, error) {
	if !startsWith(s.Contents, npyMagic) && Ending(s.Name) != ".npy" {
		return Read(s.Contents, s.Name, options)
	}
	ids, name, err := s.IDs()
	if err != nil {
		return nil, err
	}
	defer func() { _ = ids.Close() }() // they were only read
	return ReadNPY(s.Contents, s.Name, ids, name, options)
}
