package command

import (
	"fmt"
	"path/filepath"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
)

// ReadFlags say how to read a file of arms where its format leaves a choice.
type ReadFlags struct {
	As         map[string]string `placeholder:"COLUMN=KIND" help:"What a column is: id, label, description, image, number, date, month, category, boolean, embedding or ignored." mapsep:","`
	Missing    map[string]string `placeholder:"COLUMN=POLICY" help:"What to do about missing values: drop, mean (of numbers, with an indicator) or level (of a category)." mapsep:","`
	ID         string            `name:"id" help:"Column of the ids; the same as --as COLUMN=id." placeholder:"COLUMN"`
	IDs        string            `name:"ids" help:"File with the ids of a .npy (default: the one beside it)." placeholder:"FILE"`
	Sheet      string            `help:"Sheet of an .xlsx (default: the first)." placeholder:"NAME"`
	Dimensions *int              `min:"1" help:"Dimensions that an embedding is reduced to (16)."`
}

// Options translates the flags.
func (f ReadFlags) Options() (catalogue.Options, error) {
	options := catalogue.Options{
		Kinds: map[string]catalogue.Kind{}, Missing: map[string]catalogue.MissingPolicy{},
		IDs: f.IDs, Sheet: f.Sheet,
	}
	for column, word := range f.As {
		kind, err := catalogue.ParseKind(word)
		if err != nil {
			return options, fmt.Errorf("--as: %w", err)
		}
		options.Kinds[column] = kind
	}
	for column, word := range f.Missing {
		policy, err := catalogue.ParseMissingPolicy(word)
		if err != nil {
			return options, fmt.Errorf("--missing: %w", err)
		}
		options.Missing[column] = policy
	}
	if f.ID != "" {
		options.Kinds[f.ID] = catalogue.ID
	}
	return options, nil
}

// ReducedTo returns the number of dimensions, or 0 for the default.
func (f ReadFlags) ReducedTo() int {
	if f.Dimensions == nil {
		return 0
	}
	return *f.Dimensions
}

// Given reports whether any of the flags is set.
func (f ReadFlags) Given() bool {
	return len(f.As) > 0 || len(f.Missing) > 0 || f.ID != "" || f.IDs != "" || f.Sheet != "" || f.Dimensions != nil
}

// CheckFile rejects flags that do not apply to a file.
func (f ReadFlags) CheckFile(path string) error {
	if f.Given() && IsSaved(path) {
		return fmt.Errorf("%s: the arms are encoded already; "+
			"--as, --missing, --id, --ids, --sheet and --dimensions are for other files", path)
	}
	return nil
}

// IsSaved reports whether a file is a saved catalogue, by its name.
func IsSaved(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

// Open reads and encodes a file of arms, see [archive.Open].
func (f ReadFlags) Open(path string) (*archive.Encoded, error) {
	if err := f.CheckFile(path); err != nil {
		return nil, err
	}
	options, err := f.Options()
	if err != nil {
		return nil, err
	}
	return archive.Open(path, options, f.ReducedTo())
}
