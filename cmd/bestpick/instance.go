package main

import (
	"errors"
	"fmt"
	"os"

	"bestpick/internal/instances"
	"bestpick/simulate"
)

// instanceFlags name the instance to simulate.
type instanceFlags struct {
	readFlags `embed:""`

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
	Utilities string `group:"Options" help:"With --catalogue: CSV file with columns name and utility, of columns (price), levels (brand=acme) and components (e[1]); the others have none." placeholder:"FILE"`
}

// make returns the instance. Ctrl-C ends the program while it reads files.
func (f instanceFlags) make() (instances.Instance, error) {
	defer onInterrupt(func() { os.Exit(exitInterrupted) })()
	if (f.Catalogue == "") != (f.Utilities == "") {
		return instances.Instance{}, errors.New("--catalogue and --utilities go together")
	}
	if f.Catalogue != "" {
		if f.Arms != "" || f.Theta != "" || f.Scale {
			return instances.Instance{}, errors.New("--arms, --theta and --scale are not for --catalogue, whose arms are scaled already")
		}
		if err := f.checkFile(f.Catalogue); err != nil {
			return instances.Instance{}, err
		}
		options, err := f.options()
		if err != nil {
			return instances.Instance{}, err
		}
		return instances.ReadCatalogue(f.Catalogue, f.Utilities, options, f.dimensions())
	}
	if f.given() {
		return instances.Instance{}, errors.New("--as, --missing, --id, --ids, --sheet and --dimensions are for --catalogue")
	}
	instance, err := f.unscaled()
	if err != nil || !f.Scale {
		return instance, err
	}
	return instance.Scaled()
}

// unscaled returns the instance before --scale is applied.
func (f instanceFlags) unscaled() (instances.Instance, error) {
	switch {
	case (f.Arms == "") != (f.Theta == ""):
		return instances.Instance{}, errors.New("--arms and --theta go together")
	case f.Arms != "":
		return instances.Read(f.Arms, f.Theta)
	case f.Instance == "sphere":
		instance, err := simulate.Sphere(f.N, f.D, f.Norm, f.InstanceSeed)
		name := fmt.Sprintf("sphere (N = %d, d = %d, ‖θ*‖ = %g, instance seed %d)", f.N, f.D, f.Norm, f.InstanceSeed)
		return instances.Instance{Instance: instance, Name: name}, err
	case f.D < 2:
		return instances.Instance{}, fmt.Errorf("--d must be at least 2 for soare, got %d", f.D)
	default:
		instance, err := simulate.Soare(f.D, f.Omega, f.Shift)
		return instances.Instance{Instance: instance, Name: fmt.Sprintf("soare (d = %d, ω = %g, shift %g)", f.D, f.Omega, f.Shift)}, err
	}
}
