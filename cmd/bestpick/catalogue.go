package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/read"
)

// catalogueCommand checks, encodes and describes a file of arms.
type catalogueCommand struct {
	readFlags     `embed:""`
	estimateFlags `embed:""`
	jsonFlag      `embed:""`

	File string `arg:"" help:"CSV, .xlsx, JSON, Parquet (gzip too), .npy, a .yaml of attributes, or a saved .npz; - reads standard input."`

	Like   string `help:"Add the arms to those of this saved catalogue, encoded as they were: for arms that come later." placeholder:"SAVED.npz"`
	Budget int    `min:"0" help:"Number of answers you can get: warns if that is likely too few." placeholder:"NUMBER"`
	Out    string `help:"Write the encoded catalogue here." placeholder:"SAVED.npz"`
}

// readFlags say how to read a file of arms where its format leaves a choice.
type readFlags struct {
	As         map[string]string `placeholder:"COLUMN=KIND" help:"What a column is: id, label, description, image, number, date, month, category, boolean, embedding or ignored." mapsep:","`
	Missing    map[string]string `placeholder:"COLUMN=POLICY" help:"What to do about missing values: drop, mean (of numbers, with an indicator) or level (of a category)." mapsep:","`
	ID         string            `name:"id" help:"Column of the ids; the same as --as COLUMN=id." placeholder:"COLUMN"`
	IDs        string            `name:"ids" help:"File with the ids of a .npy (default: the one beside it)." placeholder:"FILE"`
	Sheet      string            `help:"Sheet of an .xlsx (default: the first)." placeholder:"NAME"`
	Dimensions *int              `min:"1" help:"Dimensions that an embedding is reduced to (16)."`
}

// Help is the long help of the command.
func (c *catalogueCommand) Help() string {
	return `A spreadsheet of options, one per row:

    bestpick catalogue arms.csv --out arms.npz

Embeddings, with the ids in embeddings.ids.txt beside them:

    bestpick catalogue embeddings.npy --dimensions 16 --out arms.npz

Attributes and levels that stand for all their combinations, in a file such as

    price: [10, 12, 15]
    brand: [acme, zenith]

    bestpick catalogue attributes.yaml --as price=category

More arms, after the first and encoded as they were:

    bestpick catalogue more.csv --like arms.npz --out all.npz`
}

// options translates the flags.
func (f readFlags) options() (catalogue.Options, error) {
	options := catalogue.Options{Kinds: map[string]catalogue.Kind{}, Missing: map[string]catalogue.MissingPolicy{}, IDs: f.IDs, Sheet: f.Sheet}
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

// dimensions returns the number of dimensions, or 0 for the default.
func (f readFlags) dimensions() int {
	if f.Dimensions == nil {
		return 0
	}
	return *f.Dimensions
}

// given reports whether any of the flags is set.
func (f readFlags) given() bool {
	return len(f.As) > 0 || len(f.Missing) > 0 || f.ID != "" || f.IDs != "" || f.Sheet != "" || f.Dimensions != nil
}

// checkFile rejects flags that do not apply to a file.
func (f readFlags) checkFile(path string) error {
	if f.given() && isSaved(path) {
		return fmt.Errorf("%s: the arms are encoded already; --as, --missing, --id, --ids, --sheet and --dimensions are for other files", path)
	}
	return nil
}

// isSaved reports whether a file is a saved catalogue, by its name.
func isSaved(path string) bool { return strings.EqualFold(filepath.Ext(path), ".npz") }

// Run reads and encodes the arms, prints a report, and writes the result.
func (c *catalogueCommand) Run(s streams) error {
	if err := c.check(); err != nil {
		return inputError{err}
	}
	encoded, err := c.encode(s)
	if err != nil {
		return inputError{err}
	}
	report := newCatalogueReport(c, encoded)
	if c.Out != "" {
		if err := writeFile(c.Out, func(w io.Writer) error { return archive.Save(w, &encoded.Catalogue) }); err != nil {
			return err
		}
	}
	return c.write(s.out, report, report.printText)
}

func (c *catalogueCommand) check() error {
	if c.Like != "" && c.Dimensions != nil {
		return fmt.Errorf("--dimensions: the arms are encoded like those of %s", c.Like)
	}
	if err := c.checkFile(c.File); err != nil {
		return err
	}
	if err := c.estimateFlags.check(); err != nil {
		return err
	}
	return c.checkOut()
}

// checkOut rejects an output that is also an input, or not a regular file.
func (c *catalogueCommand) checkOut() error {
	if c.Out == "" {
		return nil
	}
	if !isSaved(c.Out) {
		return fmt.Errorf("--out must end in .npz, got %q", c.Out)
	}
	there, err := os.Lstat(c.Out)
	if err != nil {
		return nil //nolint:nilerr // the file does not exist, or writing will fail
	}
	if !there.Mode().IsRegular() {
		return fmt.Errorf("--out: %s exists and is not a regular file", c.Out)
	}
	for _, path := range []string{c.File, c.Like} {
		if read, err := os.Stat(path); err == nil && os.SameFile(read, there) {
			return fmt.Errorf("--out: %s is an input file; name another file", c.Out)
		}
	}
	return nil
}

// encode reads and encodes the arms, with the encoding of --like if it is set.
func (c *catalogueCommand) encode(s streams) (*archive.Encoded, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	if c.Like == "" {
		if c.File == "-" {
			t, err := read.Table(s.in, standardInput, options)
			if err != nil {
				return nil, err
			}
			return archive.Encode(t, c.dimensions())
		}
		return archive.Open(c.File, options, c.dimensions())
	}
	return c.extend(s, options)
}

// extend adds the arms to those of a saved catalogue.
func (c *catalogueCommand) extend(s streams, options catalogue.Options) (*archive.Encoded, error) {
	first, err := archive.OpenSaved(c.Like)
	if err != nil {
		return nil, err
	}
	if c.File != "-" {
		return first.AddFile(c.File, options)
	}
	text, err := io.ReadAll(s.in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", standardInput, cause(err))
	}
	return first.Add(read.Upload{Name: standardInput, Contents: bytes.NewReader(text), Size: int64(len(text))}, options)
}

// standardInput is its name in errors.
const standardInput = "standard input"

// writeFile writes a file atomically: it writes a temporary file and renames it. An existing file keeps its
// permissions.
func writeFile(path string, write func(io.Writer) error) error {
	name := fmt.Sprintf(".%s.%x", filepath.Base(path), rand.Uint64())
	file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	defer func() { _ = os.Remove(file.Name()) }() // renamed, or failed
	err = write(file)
	if before, missing := os.Stat(path); err == nil && missing == nil {
		err = file.Chmod(before.Mode().Perm())
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	return nil
}
