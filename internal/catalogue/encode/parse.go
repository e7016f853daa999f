package encode

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"bestpick/internal/catalogue"
)

// A VersionError reports an encoding of another version of the format.
type VersionError struct{ Version int }

func (e *VersionError) Error() string {
	return fmt.Sprintf("the catalogue was saved in version %d of the format; this program reads version %d", e.Version, version)
}

// Parse parses an encoding from JSON and checks that it can encode arms. It returns a [VersionError]
// for an encoding of another version.
func Parse(text []byte) (*Encoding, error) {
	var e Encoding
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, err
	}
	if e.Version != version {
		return nil, &VersionError{e.Version}
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	return &e, nil
}

// check returns an error if the encoding is inconsistent.
func (e *Encoding) check() error {
	if !(e.Ball > 0) {
		return errors.New("the arms have no length")
	}
	for _, c := range e.Columns {
		if c == nil {
			return errors.New("a column is missing")
		}
		if err := c.check(); err != nil {
			return fmt.Errorf("column %q: %w", c.Column, err)
		}
	}
	if err := e.checkNames(); err != nil {
		return err
	}
	features := e.Features()
	if len(features) == 0 {
		return errors.New("there are no features")
	}
	for _, c := range e.Columns {
		for _, f := range c.Features {
			for _, p := range f.Instead {
				if !slices.Contains(features, p.Feature) {
					return fmt.Errorf("feature %q stands for %q and is left out itself, or unknown", p.Feature, f.Name)
				}
			}
		}
	}
	return nil
}

// check returns an error if the coding is inconsistent.
func (c *Coding) check() error {
	switch c.Kind { //nolint:exhaustive // only features are encoded
	case catalogue.Number:
		if !(c.Scale > 0) {
			return errors.New("the numbers have no scale")
		}
	case catalogue.Boolean:
	case catalogue.Category:
		if len(c.Levels) < 2 {
			return errors.New("there are fewer than two levels")
		}
		if sorted := slices.Sorted(slices.Values(c.Levels)); len(slices.Compact(sorted)) < len(c.Levels) {
			return errors.New("two levels have the same name")
		}
	case catalogue.Embedding:
		if err := c.Embedding.check(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("%v is no feature", c.Kind)
	}
	wanted := (&Coding{
		Column: c.Column, Kind: c.Kind, Levels: c.Levels, Missing: c.Missing,
		Embedding: c.Embedding,
	}).named().Features
	if !slices.EqualFunc(c.Features, wanted, func(a, b Feature) bool { return a.Name == b.Name }) {
		return errors.New("its features are not those of such a column")
	}
	return nil
}

// check returns an error if the parts are inconsistent.
func (p *Principal) check() error {
	if p == nil || len(p.Axes) == 0 || len(p.Centre) == 0 || !(p.Scale > 0) {
		return errors.New("the embedding has no axes")
	}
	for _, axis := range p.Axes {
		if len(axis) != len(p.Centre) {
			return errors.New("an axis is too long or too short")
		}
	}
	return nil
}
