package read

import (
	"io"
	"io/fs"
)

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
