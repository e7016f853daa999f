package catalogue

import (
	"cmp"
	"io"

	"bestpick/table"
)

// An Upload is a file of arms that somebody sent: what it is called, and what is in it. It can
// be read more than once.
type Upload struct {
	Name     string // how it ends says what it is, as that of a path does
	Contents io.ReaderAt
	Size     int64

	// Largest is how many bytes it may have when it is unpacked, if it is packed. Default 256 MB.
	Largest int64

	// IDs are the ids of the rows of a .npy. Default: none; a .npy is refused.
	IDs *Upload
}

// OpenUpload reads arms of any format from an upload and encodes them, as [Open] does. Nothing
// beside it is read: Options.IDs is of no matter, and images are kept as they are. A file that is
// packed is refused if it is too large when it is unpacked, before it takes any memory.
func OpenUpload(u Upload, options Options, dimensions int) (*Encoded, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	return u.origin().encoded(options, dimensions)
}

// check returns an error if the files are too large when they are unpacked.
func (u Upload) check() error {
	if err := table.CheckPacked(u.reader(), u.Name, cmp.Or(u.Largest, largestUnpacked)); err != nil || u.IDs == nil {
		return err
	}
	return u.IDs.check()
}

// largestUnpacked is how large a file may be, unless its size is said.
const largestUnpacked = 256 << 20

func (u Upload) origin() origin {
	return origin{u.Name, u.reader(), func() (io.ReadCloser, string, error) {
		if u.IDs == nil {
			return nil, "", &table.Error{File: u.Name, Problem: "the ids of its rows are missing; they come in a second file, one a line"}
		}
		return io.NopCloser(u.IDs.reader()), u.IDs.Name, nil
	}}
}

func (u Upload) reader() *io.SectionReader { return io.NewSectionReader(u.Contents, 0, u.Size) }
