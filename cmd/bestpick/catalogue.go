package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"bestpick/catalogue"
	"bestpick/strategy"
)

// catalogueCommand checks, encodes and describes a file of arms.
type catalogueCommand struct {
	readFlags `embed:""`

	File string `arg:"" help:"CSV, JSON Lines, Parquet (gzip too), .npy, a .yaml of attributes, or a saved .npz; - reads standard input."`

	Like   string  `help:"Encode the arms as those of this saved catalogue were: for arms that come later." placeholder:"SAVED.npz"`
	K      int     `default:"3" help:"Arms in a question, for the estimate of answers needed (${default})."`
	Delta  float64 `default:"0.05" help:"Probability of error, for the estimate (${default})."`
	Budget int     `help:"Answers you can get: warn where that is likely to be too few."`
	Out    string  `help:"Write the encoded catalogue here." placeholder:"SAVED.npz"`
	JSON   bool    `name:"json" help:"Print one JSON document."`
}

// readFlags say how to read a file of arms where it leaves that open.
type readFlags struct {
	As         map[string]string `help:"What a column is, as column=kind: id, label, description, image, number, category, boolean, embedding or ignored." mapsep:","`
	ID         string            `name:"id" help:"Column of the ids; the same as --as COLUMN=id." placeholder:"COLUMN"`
	IDs        string            `name:"ids" help:"File with the ids of a .npy (default: the one beside it)." placeholder:"FILE"`
	Dimensions int               `default:"16" help:"Dimensions that an embedding is reduced to (${default})."`
}

// Help is the long help of the command.
func (c *catalogueCommand) Help() string {
	return `A spreadsheet of options, one a row, with a column id:

    bestpick catalogue arms.csv --out arms.npz

Embeddings, with the ids in embeddings.ids.txt beside them:

    bestpick catalogue embeddings.npy --dimensions 16 --out arms.npz

Attributes and levels that stand for all their combinations, in a file such as

    price: [10, 12, 15]
    brand: [acme, zenith]

    bestpick catalogue attributes.yaml --as price=category

More arms, encoded as the first were:

    bestpick catalogue more.csv --like arms.npz --out more.npz`
}

// options translates the flags.
func (f readFlags) options() (catalogue.Options, error) {
	options := catalogue.Options{Kinds: map[string]catalogue.Kind{}, IDs: f.IDs}
	for column, word := range f.As {
		kind, err := catalogue.ParseKind(word)
		if err != nil {
			return options, fmt.Errorf("--as: %w", err)
		}
		options.Kinds[column] = kind
	}
	if f.ID != "" {
		options.Kinds[f.ID] = catalogue.ID
	}
	if f.Dimensions < 1 {
		return options, fmt.Errorf("--dimensions: %d is not a number from 1", f.Dimensions)
	}
	return options, nil
}

// Run reads, encodes, says so and writes.
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
		if err := writeFile(c.Out, func(w io.Writer) error { return catalogue.Save(w, &encoded.Saved) }); err != nil {
			return err
		}
	}
	if c.JSON {
		return printJSON(s.out, report)
	}
	return report.printText(s.out)
}

func (c *catalogueCommand) check() error {
	switch {
	case c.K < 2:
		return fmt.Errorf("--k: %d is not a number from 2", c.K)
	case !(c.Delta > 0 && c.Delta < 1):
		return fmt.Errorf("--delta: %v is not between 0 and 1", c.Delta)
	case c.Budget < 0:
		return errors.New("--budget: answers cannot be negative")
	}
	return nil
}

// encode reads the arms and encodes them, like others where there are any.
func (c *catalogueCommand) encode(s streams) (*catalogue.Encoded, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	if c.Like == "" {
		if c.File == "-" {
			t, err := catalogue.Read(s.in, standardInput, options)
			if err != nil {
				return nil, err
			}
			return catalogue.Encode(t, c.Dimensions)
		}
		return catalogue.Open(c.File, options, c.Dimensions)
	}
	first, err := catalogue.Open(c.Like, catalogue.Options{}, 0)
	if err != nil {
		return nil, err
	}
	if first.Profiles != nil {
		return nil, fmt.Errorf("%s: it has all combinations of its attributes already", c.Like)
	}
	for column, kind := range first.Encoding.Kinds() {
		if _, chosen := options.Kinds[column]; !chosen {
			options.Kinds[column] = kind
		}
	}
	var t *catalogue.Table
	if c.File == "-" {
		t, err = catalogue.Read(s.in, standardInput, options)
	} else {
		t, err = catalogue.File(c.File, options)
	}
	if err != nil {
		return nil, err
	}
	return catalogue.EncodeLike(t, first.Encoding)
}

// standardInput is what to call it in errors.
const standardInput = "standard input"

// writeFile writes a file as a whole or not at all: beside its place first, and then moved
// there.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	defer func() { _ = os.Remove(file.Name()) }() // it has moved, or failed
	err = write(file)
	if err == nil {
		err = file.Chmod(0o644)
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

// needed is about how many answers a study of the arms takes.
func (c *catalogueCommand) needed(e *catalogue.Encoded) strategy.Expectation {
	return strategy.Expect(e.Arms, strategy.Settings{K: c.K, Delta: c.Delta})
}
