package catalogue

import "bestpick/internal/table"

// Options say how to read a file of arms where the file does not.
type Options struct {
	// Kinds are the kinds of columns by name. The name of an embedding that is spread over columns
	// e1, e2, … is e. Default: they are recognised.
	Kinds map[string]Kind

	// Missing says what to do with missing values, by column. Default: an option without a number gets
	// the mean and an indicator, one without a level a level of its own.
	Missing map[string]MissingPolicy

	// Formats are the formats of numbers and dates, by column. Default: they are recognised.
	Formats map[string]*NumberFormat

	// Label is the column of labels, if the file has it. Default: it is recognised.
	Label string

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
