package catalogue

import "bestpick/internal/table"

// Options say how to read a file of arms where the file does not.
type Options struct {
	// Kinds are the kinds of columns by name. The name of an embedding that is spread over columns
	// e1, e2, … is e. Default: they are recognised.
	Kinds map[string]Kind

	// IDs is the file with the ids of the rows of a .npy. Default: the one beside it.
	IDs string

	// Sheet is the name of the sheet of a workbook. Default: the first that is not hidden.
	Sheet string

	// Folder is the base of relative paths of images, which must exist. Default: images are not
	// checked.
	Folder string

	// Limits bounds what the file may hold. Default: no limits.
	Limits table.Limits
}
