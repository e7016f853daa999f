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
	if !startsWith(s.Contents, table.NPYMagic) && table.Ending(s.Name) != ".npy" {
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

// sizeOf returns how many bytes a source has in all, where it can tell.
func sizeOf(source io.Reader) (int64, bool) {
	if section, isSection := source.(*io.SectionReader); isSection {
		return section.Size(), true
	}
	file, isFile := source.(interface{ Stat() (fs.FileInfo, error) })
	if !isFile {
		return 0, false
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// An Upload is a file of arms with its name. It can be read more than once.
type Upload struct {
	Name     string // its ending tells the format, as with a path
	Contents io.ReaderAt
	Size     int64

	// Limits bounds what the file may hold. Rows counts arms, those of the study included where
	// arms are added to it. Bytes also bounds the features of all arms in memory, 4 bytes each.
	// Default: no limits.
	Limits table.Limits

	// IDs are the ids of the rows of a .npy, within the same limits. Default: none; rows are numbered.
	IDs *Upload
}

// Check returns an error if the files are too large after decompression. A table of ids is checked
// here, too, and other text by [Table].
func (u Upload) Check() error {
	if u.Limits.Bytes > 0 {
		if err := table.CheckPacked(u.reader(), u.Name, u.Limits.Bytes); err != nil {
			return err
		}
	}
	if u.IDs == nil {
		return nil
	}
	if isDelimited(u.IDs.Name) {
		if err := checkText(u.IDs.reader(), u.IDs.Name, u.Limits); err != nil {
			return err
		}
	}
	return Upload{Name: u.IDs.Name, Contents: u.IDs.Contents, Size: u.IDs.Size, Limits: u.Limits}.Check()
}

// Source returns the upload as a source of arms.
func (u Upload) Source() Source {
	return Source{u.Name, u.reader(), func() (io.ReadCloser, string, error) {
		if u.IDs == nil {
			return nil, "", nil
		}
		return io.NopCloser(u.IDs.reader()), u.IDs.Name, nil
	}}
}

// Rows reads the upload as a table of any contents, row by row: see [Rows].
func (u Upload) Rows() (*table.Reader, error) { return rowsWithin(u.reader(), u.Name, u.Limits) }

func (u Upload) reader() *io.SectionReader { return io.NewSectionReader(u.Contents, 0, u.Size) }
