// Package instances reads instances to simulate from files: arms with the true utilities of their features.
package instances

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/internal/catalogue"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/table"
	"bestpick/simulate"
)

// An Instance is an instance with its name in titles, and the encoding of its catalogue, nil if it has none.
type Instance struct {
	simulate.Instance

	Name     string
	Encoding *encode.Encoding

	PartWorths [][]float64 // θ of each respondent in recorded choices; nil without them
}

// Scaled returns the instance with the arms scaled into the unit ball. Utilities do not change.
func (in Instance) Scaled() (Instance, error) {
	scaled, by, err := design.Scale(in.Catalogue)
	theta := make([]float64, len(in.Theta))
	for k, x := range in.Theta {
		theta[k] = x * by
	}
	return Instance{Instance: simulate.Instance{Catalogue: scaled, Theta: theta}, Name: fmt.Sprintf("%s, scaled by 1/%.4g", in.Name, by)}, err
}

// ReadCatalogue reads and encodes arms of any format, and utilities by the names of their columns and levels, from a
// table with the columns name and utility, or from a model that bestpick fit saved. Errors of a table are of type [table.Error].
func ReadCatalogue(path, utilities string, options catalogue.Options, dimensions int) (Instance, error) {
	arms, err := archive.Open(path, options, dimensions)
	if err != nil {
		return Instance{}, err
	}
	taste, err := readUtilities(utilities)
	if err != nil {
		return Instance{}, err
	}
	theta, err := arms.Encoding.Theta(taste)
	if err != nil {
		return Instance{}, fmt.Errorf("%s: %w", utilities, err)
	}
	return Instance{Instance: simulate.Instance{Catalogue: arms.Arms, Theta: theta}, Name: path, Encoding: arms.Encoding}, nil
}

// Read reads arms and θ* from tables: arms with a column id and one for each feature, θ* with the same feature columns
// and one row.
func Read(arms, theta string) (Instance, error) {
	c, err := readArms(arms)
	if err != nil {
		return Instance{}, err
	}
	var truth []float64
	err = readTable(theta, func(rows *table.Reader) error {
		for _, name := range rows.Header() {
			if !slices.Contains(c.Features(), name) {
				return rows.ErrorAt(1, name, "the arms have no such feature")
			}
		}
		columns := make([]int, c.Dim())
		for k, feature := range c.Features() {
			if columns[k], err = rows.Column(feature); err != nil {
				return err
			}
		}
		return rows.Each(func() error {
			if truth != nil {
				return rows.ErrorAt(rows.Line(), "", "θ* takes one row, there is a second")
			}
			for _, column := range columns {
				x, err := rows.Number(column)
				if err != nil {
					return err
				}
				truth = append(truth, x)
			}
			return nil
		})
	})
	return Instance{Instance: simulate.Instance{Catalogue: c, Theta: truth}, Name: arms}, err
}

// readArms reads a catalogue: a column id, and features.
func readArms(path string) (*choice.Catalogue, error) {
	var ids, features []string
	var rows [][]float64
	var lines []int
	err := readTable(path, func(r *table.Reader) error {
		id, err := r.Column("id")
		if err != nil {
			return err
		}
		features = slices.Delete(slices.Clone(r.Header()), id, id+1)
		return r.Each(func() error {
			var row []float64
			for column := range r.Header() {
				if column == id {
					ids = append(ids, r.Text(id))
					continue
				}
				x, err := r.Number(column)
				if err != nil {
					return err
				}
				row = append(row, x)
			}
			rows, lines = append(rows, row), append(lines, r.Line())
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	c, err := choice.NewCatalogue(ids, features, rows)
	if refused, ok := errors.AsType[*choice.CatalogueError](err); ok {
		line := 0
		if refused.Arm >= 0 {
			line = lines[refused.Arm]
		}
		return nil, &table.Error{File: path, Line: line, Problem: refused.Problem}
	}
	return c, err
}

// readTable opens a table and passes it to read.
func readTable(path string, read func(*table.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return table.ReadError(path, err)
	}
	defer func() { _ = file.Close() }() // only read
	rows, err := table.NewReader(file, path, table.Limits{})
	if err != nil {
		return err
	}
	return read(rows)
}
