package read

import (
	"io"

	"bestpick/internal/table"
)

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
