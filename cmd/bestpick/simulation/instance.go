package simulation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"bestpick/choice"
	"bestpick/cmd/bestpick/command"
	"bestpick/design"
	"bestpick/internal/catalogue/encode"
	"bestpick/internal/recorded"
	"bestpick/internal/table"
	"bestpick/simulate"
)

// InstanceFlags name the instance to simulate.
type InstanceFlags struct {
	command.ReadFlags `embed:""`

	Instance     string  `group:"Options" default:"soare" enum:"soare,sphere" help:"Built-in instance: soare (the paper's) or sphere."`
	D            int     `group:"Options" default:"5" min:"1" help:"Dimension of a built-in instance."`
	Omega        float64 `group:"Options" default:"0.01" help:"soare: angle between the best arm and the next."`
	Shift        float64 `group:"Options" default:"0" help:"soare: added to every coordinate of θ*."`
	N            int     `group:"Options" default:"20" min:"2" help:"sphere: number of arms."`
	Norm         float64 `group:"Options" default:"3" help:"sphere: norm of θ*."`
	InstanceSeed uint64  `group:"Options" default:"1" help:"sphere: which arms and θ* are drawn."`
	Arms         string  `group:"Options" help:"Your own: CSV file of arms, with columns id and one for each feature." placeholder:"FILE"`
	Theta        string  `group:"Options" help:"Your own: CSV file with the same feature columns and one row, θ*." placeholder:"FILE"`
	Scale        bool    `group:"Options" help:"Scale the arms into the unit ball, as the paper's theorem assumes."`

	Catalogue string `group:"Options" help:"Your own: arms in any format that bestpick catalogue reads." placeholder:"FILE"`
	Utilities string `group:"Options" help:"With --catalogue: CSV file with columns name and utility, of columns (price), levels (brand=acme) and components (e[1]); the others have none. Or a model that bestpick fit saved, whose classes are the crowd." placeholder:"FILE"`
}

// An Instance is an instance with its name in titles, and the encoding of its catalogue, nil if it has none.
type Instance struct {
	simulate.Instance

	Name     string
	Encoding *encode.Encoding

	PartWorths [][]float64 // θ of each class of a model; nil without classes
	Shares     []float64   // of the classes
}

// Make returns the instance. Ctrl-C ends the program while it reads files.
func (f InstanceFlags) Make() (Instance, error) {
	defer command.OnInterrupt(func() { os.Exit(command.ExitInterrupted) })()
	if (f.Catalogue == "") != (f.Utilities == "") {
		return Instance{}, errors.New("--catalogue and --utilities go together")
	}
	if f.Catalogue != "" {
		if f.Arms != "" || f.Theta != "" || f.Scale {
			return Instance{}, errors.New("--arms, --theta and --scale are not for --catalogue, whose arms are scaled already")
		}
		return f.readCatalogue()
	}
	if f.Given() {
		return Instance{}, errors.New("--as, --missing, --id, --ids, --sheet and --dimensions are for --catalogue")
	}
	instance, err := f.unscaled()
	if err != nil || !f.Scale {
		return instance, err
	}
	return instance.scaled()
}

// unscaled returns the instance before --scale is applied.
func (f InstanceFlags) unscaled() (Instance, error) {
	switch {
	case (f.Arms == "") != (f.Theta == ""):
		return Instance{}, errors.New("--arms and --theta go together")
	case f.Arms != "":
		return readInstance(f.Arms, f.Theta)
	case f.Instance == "sphere":
		instance, err := simulate.Sphere(f.N, f.D, f.Norm, f.InstanceSeed)
		name := fmt.Sprintf("sphere (N = %d, d = %d, ‖θ*‖ = %g, instance seed %d)", f.N, f.D, f.Norm, f.InstanceSeed)
		return Instance{Instance: instance, Name: name}, err
	case f.D < 2:
		return Instance{}, fmt.Errorf("--d must be at least 2 for soare, got %d", f.D)
	default:
		instance, err := simulate.Soare(f.D, f.Omega, f.Shift)
		return Instance{Instance: instance, Name: fmt.Sprintf("soare (d = %d, ω = %g, shift %g)", f.D, f.Omega, f.Shift)}, err
	}
}

// scaled returns the instance with the arms scaled into the unit ball. Utilities do not change.
func (in Instance) scaled() (Instance, error) {
	scaled, by, err := design.Scale(in.Catalogue)
	theta := make([]float64, len(in.Theta))
	for k, x := range in.Theta {
		theta[k] = x * by
	}
	return Instance{
		Instance: simulate.Instance{Catalogue: scaled, Theta: theta},
		Name:     fmt.Sprintf("%s, scaled by 1/%.4g", in.Name, by),
	}, err
}

// readCatalogue reads and encodes arms of any format, and utilities by the names of their columns and levels, from a
// table with the columns name and utility, or from a model that bestpick fit saved. Errors of a table are of type
// [table.Error].
func (f InstanceFlags) readCatalogue() (Instance, error) {
	arms, err := f.Open(f.Catalogue)
	if err != nil {
		return Instance{}, err
	}
	tastes, shares, err := readUtilities(f.Utilities)
	if err != nil {
		return Instance{}, err
	}
	instance := Instance{Name: f.Catalogue, Encoding: arms.Encoding, Shares: shares}
	mean := make([]float64, arms.Arms.Dim())
	for i, taste := range tastes {
		theta, err := arms.Encoding.Theta(taste)
		if err != nil {
			return Instance{}, fmt.Errorf("%s: %w", f.Utilities, err)
		}
		if shares == nil {
			mean = theta
			continue
		}
		for k, x := range theta {
			mean[k] += shares[i] * x // they sum to 1
		}
		instance.PartWorths = append(instance.PartWorths, theta)
	}
	instance.Instance = simulate.Instance{Catalogue: arms.Arms, Theta: mean}
	return instance, nil
}

// readInstance reads arms and θ* from tables: arms with a column id and one for each feature, θ* with the same feature columns
// and one row.
func readInstance(arms, theta string) (Instance, error) {
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
		return nil, &table.Error{File: path, Line: line, Problem: table.Problemf("", "%s", refused.Problem)}
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

// readUtilities reads utilities by name, from a table or from a model that bestpick fit saved. A model with
// classes has utilities and a share for each of them.
func readUtilities(path string) (tastes []map[string]float64, shares []float64, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, table.ReadError(path, err)
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte{'{'}) {
		return modelUtilities(text, path)
	}
	utilities := map[string]float64{}
	rows, err := table.NewReader(bytes.NewReader(text), path, table.Limits{})
	if err != nil {
		return nil, nil, err
	}
	name, err := rows.Column("name")
	if err != nil {
		return nil, nil, err
	}
	utility, err := rows.Column("utility")
	if err != nil {
		return nil, nil, err
	}
	return []map[string]float64{utilities}, nil, rows.Each(func() (err error) {
		if _, twice := utilities[rows.Text(name)]; twice {
			return rows.Errorf(name, "%q appears twice", rows.Text(name))
		}
		utilities[rows.Text(name)], err = rows.Number(utility)
		return err
	})
}

// modelUtilities returns the estimates of a saved model, or of each of its classes, without the constants of
// answers that are no arms.
func modelUtilities(text []byte, path string) (tastes []map[string]float64, shares []float64, err error) {
	type parameters []struct {
		Name     string  `json:"name"`
		Estimate float64 `json:"estimate"`
	}
	var model struct {
		Parameters parameters `json:"parameters"`
		Classes    []struct {
			Parameters parameters `json:"parameters"`
			Share      struct {
				Value float64 `json:"value"`
			} `json:"share"`
		} `json:"classes"`
	}
	if err := json.Unmarshal(text, &model); err != nil {
		return nil, nil, &table.Error{File: path, Problem: table.Problemf("", "this is not a model that bestpick fit saved: %v", err)}
	}
	all := []parameters{model.Parameters}
	for i, class := range model.Classes {
		if i == 0 {
			all = nil
		}
		if !(class.Share.Value > 0 && class.Share.Value <= 1) {
			return nil, nil, &table.Error{File: path, Problem: table.Problemf("",
				"the share of class %d must be from 0 to 1, got %v", i+1, class.Share.Value)}
		}
		all, shares = append(all, class.Parameters), append(shares, class.Share.Value)
	}
	for _, one := range all {
		if len(one) == 0 {
			return nil, nil, &table.Error{File: path, Problem: table.Problemf("",
				"the model has no parameters; bestpick fit --save writes one")}
		}
		utilities := map[string]float64{}
		for _, p := range one {
			utilities[p.Name] = p.Estimate
		}
		delete(utilities, recorded.NoneName)
		delete(utilities, recorded.TieName)
		tastes = append(tastes, utilities)
	}
	return tastes, shares, nil
}
