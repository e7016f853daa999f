package table

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
)

// ZIPMagic is how a ZIP archive starts.
const ZIPMagic = "PK\x03\x04"

// ErrDamagedZIP is returned for archives that cannot be read.
var ErrDamagedZIP error = Problemf("zip", "the ZIP archive is damaged")

// OpenZIP reads the directory of an archive, which may have 4 MB.
func OpenZIP(r io.ReaderAt, size int64) (*zip.Reader, error) {
	const maxDirectoryBytes = 4 << 20 // what the archive ends with included
	budget := &readBudget{ReaderAt: r, left: maxDirectoryBytes}
	archive, err := zip.NewReader(budget, size)
	budget.left = math.MaxInt64
	if err != nil {
		return nil, ErrDamagedZIP
	}
	return archive, nil
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

// FindEntry returns the entry with a name, nil if there is none.
func FindEntry(archive *zip.Reader, name string) *zip.File {
	for _, file := range archive.File {
		if file.Name == name {
			return file
		}
	}
	return nil
}

// OpenEntry opens an entry that decompresses to at most most bytes, 0 for no limit. Reading fails
// where an entry goes on after the size that the directory says.
func OpenEntry(file *zip.File, most int64) (io.ReadCloser, error) {
	if most > 0 && file.UncompressedSize64 > uint64(most) {
		return nil, fmt.Errorf("%s in the ZIP archive is larger than %s", file.Name, Size(most))
	}
	content, err := file.Open()
	if err != nil {
		return nil, ErrDamagedZIP
	}
	return content, nil
}
