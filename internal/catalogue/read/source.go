package read

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// An Upload is a file of arms with its name: from a stranger, or from the user's own disk. It can be read
// more than once.
type Upload struct {
	Name     string // its ending tells the format
	Contents io.ReaderAt
	Size     int64
	// Limits bounds what the file may hold. Rows counts arms, those of the study included where
	// arms are added to it. Bytes also bounds the features of all arms in memory, 4 bytes each.
	// Default: no limits.
	Limits table.Limits
	// IDs are the ids of the rows of a .npy, within the same limits. Default: none; rows are numbered.
	IDs *Upload
}

// OpenFile opens a file of arms. The ids of arms.npy are in Options.IDs or else in the first of arms.ids, arms.ids.txt,
// arms.txt and arms.csv that there is. It returns the options with Folder set: images that are files, their paths
// starting from the folder of the table, must be there. The caller must call closeFile.
func OpenFile(path string, options catalogue.Options) (u Upload, _ catalogue.Options, closeFile func(), err error) {
	file, err := os.Open(path)
	if err != nil {
		return Upload{}, options, nil, table.ReadError(path, err)
	}
	var ids *os.File
	closeFile = func() {
		_ = errors.Join(file.Close(), ids.Close()) // they were only read
	}
	defer func() {
		if err != nil {
			closeFile()
		}
	}()
	if u, err = uploadOf(file, path); err != nil {
		return u, options, nil, err
	}
	if u.isNPY() {
		if ids, err = openIDs(path, options.IDs); err != nil {
			return u, options, nil, err
		}
	}
	if ids != nil {
		beside, err := uploadOf(ids, ids.Name())
		if err != nil {
			return u, options, nil, err
		}
		u.IDs = &beside
	}
	options.Folder = filepath.Dir(path)
	return u, options, closeFile, nil
}

// uploadOf returns a file. What is not a regular file, such as a pipe, is held in memory.
func uploadOf(file *os.File, name string) (Upload, error) {
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		return Upload{Name: name, Contents: file, Size: info.Size()}, nil
	}
	all, err := io.ReadAll(file)
	if err != nil {
		return Upload{}, table.ReadError(name, err)
	}
	return Upload{Name: name, Contents: bytes.NewReader(all), Size: int64(len(all))}, nil
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
	section, isSection := source.(*io.SectionReader)
	if !isSection {
		return 0, false
	}
	return section.Size(), true
}

func (u Upload) isNPY() bool {
	return startsWith(u.Contents, table.NPYMagic) || table.Ending(u.Name) == ".npy"
}

// Table reads a table of arms: what [Table] reads, or a .npy. Without ids, rows are numbered.
func (u Upload) Table(options catalogue.Options) (*catalogue.Table, error) {
	switch {
	case !u.isNPY():
		return Table(u.Reader(), u.Name, options)
	case u.IDs == nil:
		return NPY(u.Reader(), u.Name, nil, "", options)
	default:
		return NPY(u.Reader(), u.Name, u.IDs.Reader(), u.IDs.Name, options)
	}
}

// Check returns an error if the files are too large after decompression. A table of ids is checked
// here, too, and other text by [Table].
func (u Upload) Check() error {
	if u.Limits.Bytes > 0 {
		if err := table.CheckPacked(u.Reader(), u.Name, u.Limits.Bytes); err != nil {
			return err
		}
	}
	if u.IDs == nil {
		return nil
	}
	if isDelimited(u.IDs.Name) {
		if err := checkText(u.IDs.Reader(), u.IDs.Name, u.Limits); err != nil {
			return err
		}
	}
	return Upload{Name: u.IDs.Name, Contents: u.IDs.Contents, Size: u.IDs.Size, Limits: u.Limits}.Check()
}

// Rows reads the upload as a table of any contents, row by row: see [Rows].
func (u Upload) Rows() (*table.Reader, error) { return rowsWithin(u.Reader(), u.Name, u.Limits) }

// Reader returns the contents from their start.
func (u Upload) Reader() *io.SectionReader { return io.NewSectionReader(u.Contents, 0, u.Size) }
