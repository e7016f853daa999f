package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"bestpick/choice"
	"bestpick/design"
	"bestpick/internal/catalogue/archive"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/table"
	"bestpick/simulate"
)

// instanceFlags name the instance to simulate.
type instanceFlags struct {
	readFlags `embed:""`

	Instance     string  `default:"soare" enum:"soare,sphere" help:"Built-in instance: soare (the paper's) or sphere (${default})."`
	D            int     `default:"5" help:"Dimension of a built-in instance (${default})."`
	Omega        float64 `default:"0.01" help:"soare: angle between the best arm and the next (${default})."`
	Shift        float64 `default:"0" help:"soare: added to every coordinate of θ* (${default})."`
	N            int     `default:"20" help:"sphere: number of arms (${default})."`
	Norm         float64 `default:"3" help:"sphere: norm of θ* (${default})."`
	InstanceSeed uint64  `default:"1" help:"sphere: which arms and θ* are drawn (${default})."`
	Arms         string  `help:"Your own: CSV file of arms, with columns id and one for each feature."`
	Theta        string  `help:"Your own: CSV file with the same feature columns and one row, θ*."`
	Scale        bool    `help:"Scale the arms into the unit ball, as the paper's theorem assumes."`

	Catalogue string `help:"Your own: arms in any format that bestpick catalogue reads." placeholder:"FILE"`
	Utilities string `help:"With --catalogue: CSV file with columns name and utility, of columns (price), levels (brand=acme) and components (e[1]); the others have none." placeholder:"FILE"`
}

// An ownInstance is an instance with its title and the encoding of its catalogue, if it has one.
type ownInstance struct {
	simulate.Instance

	name     string
	encoding *encode.Encoding

	partWorths [][]float64 // θ of the people in recorded choices
}

// make returns the instance.
func (f instanceFlags) make() (ownInstance, error) {
	if (f.Catalogue == "") != (f.Utilities == "") {
		return ownInstance{}, errors.New("--catalogue and --utilities go together")
	}
	if f.Catalogue != "" {
		if f.Arms != "" || f.Theta != "" || f.Scale {
			return ownInstance{}, errors.New("--arms, --theta and --scale are not for --catalogue, whose arms are scaled already")
		}
		return f.encoded()
	}
	if f.given() {
		return ownInstance{}, errors.New("--as, --id, --ids and --dimensions are for --catalogue")
	}
	instance, name, err := f.unscaled()
	if err != nil || !f.Scale {
		return ownInstance{Instance: instance, name: name}, err
	}
	scaled, by, err := design.Scale(instance.Catalogue)
	theta := make([]float64, len(instance.Theta))
	for k, x := range instance.Theta {
		theta[k] = x * by // so that utilities do not change
	}
	return ownInstance{Instance: simulate.Instance{Catalogue: scaled, Theta: theta}, name: fmt.Sprintf("%s, scaled by 1/%.4g", name, by)}, err
}

// encoded reads and encodes arms of any format, and utilities by the names of their columns and levels.
func (f instanceFlags) encoded() (ownInstance, error) {
	if err := f.checkFile(f.Catalogue); err != nil {
		return ownInstance{}, err
	}
	options, err := f.options()
	if err != nil {
		return ownInstance{}, err
	}
	arms, err := archive.Open(f.Catalogue, options, f.dimensions())
	if err != nil {
		return ownInstance{}, err
	}
	utilities := map[string]float64{}
	err = readTable(f.Utilities, func(rows *table.Reader) error {
		name, err := rows.Column("name")
		if err != nil {
			return err
		}
		utility, err := rows.Column("utility")
		if err != nil {
			return err
		}
		return rows.Each(func() error {
			if _, twice := utilities[rows.Text(name)]; twice {
				return rows.Errorf(name, "%q appears twice", rows.Text(name))
			}
			utilities[rows.Text(name)], err = rows.Number(utility)
			return err
		})
	})
	if err != nil {
		return ownInstance{}, err
	}
	theta, err := arms.Encoding.Theta(utilities)
	if err != nil {
		return ownInstance{}, fmt.Errorf("%s: %w", f.Utilities, err)
	}
	return ownInstance{Instance: simulate.Instance{Catalogue: arms.Arms, Theta: theta}, name: f.Catalogue, encoding: arms.Encoding}, nil
}

// unscaled returns the instance before --scale is applied.
func (f instanceFlags) unscaled() (instance simulate.Instance, name string, err error) {
	for flag, x := range map[string]float64{"--omega": f.Omega, "--shift": f.Shift, "--norm": f.Norm} {
		if x-x != 0 {
			return instance, "", fmt.Errorf("%s must be finite, got %v", flag, x)
		}
	}
	switch {
	case (f.Arms == "") != (f.Theta == ""):
		return instance, "", errors.New("--arms and --theta go together")
	case f.Arms != "":
		instance, err = readInstance(f.Arms, f.Theta)
		return instance, f.Arms, err
	case f.Instance == "sphere":
		instance, err = simulate.Sphere(f.N, f.D, f.Norm, f.InstanceSeed)
		return instance, fmt.Sprintf("sphere (N = %d, d = %d, ‖θ*‖ = %g, instance seed %d)", f.N, f.D, f.Norm, f.InstanceSeed), err
	default:
		instance, err = simulate.Soare(f.D, f.Omega, f.Shift)
		return instance, fmt.Sprintf("soare (d = %d, ω = %g, shift %g)", f.D, f.Omega, f.Shift), err
	}
}

// readInstance reads arms and θ* from files.
func readInstance(arms, theta string) (simulate.Instance, error) {
	c, err := readArms(arms)
	if err != nil {
		return simulate.Instance{}, err
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
	return simulate.Instance{Catalogue: c, Theta: truth}, err
}

// readArms reads a catalogue: a column id, every other one a feature.
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

// readTable opens a file and reads it.
func readTable(path string, read func(*table.Reader) error) error {
	file, err := openInput(path, path, streams{err: io.Discard}, true)
	if err != nil {
		return err
	}
	defer file.Close()
	rows, err := table.NewReader(file, path, table.Limits{})
	if err != nil {
		return err
	}
	return read(rows)
}
