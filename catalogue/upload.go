package catalogue

import (
	"io"

	"bestpick/table"
)

// An Upload is a file of arms that somebody sent: what it is called, and what is in it. It can
// be read more than once.
type Upload struct {
	Name     string // how it ends says what it is, as that of a path does
	Contents io.ReaderAt
	Size     int64

	// IDs are the ids of the rows of a .npy. Default: none; a .npy is refused.
	IDs *Upload
}

// OpenUpload reads arms of any format from an upload and encodes them, as [Open] does. Nothing
// beside it is read: Options.IDs is of no matter, and images are kept as they are.
func OpenUpload(u Upload, options Options, dimensions int) (*Encoded, error) {
	return u.origin().encoded(options, dimensions)
}

func (u Upload) origin() origin {
	return origin{u.Name, u.reader(), func() (io.ReadCloser, string, error) {
		if u.IDs == nil {
			return nil, "", &table.Error{File: u.Name, Problem: "the ids of its rows are missing; they come in a second file, one a line"}
		}
		return io.NopCloser(u.IDs.reader()), u.IDs.Name, nil
	}}
}

func (u Upload) reader() *io.SectionReader { return io.NewSectionReader(u.Contents, 0, u.Size) }
