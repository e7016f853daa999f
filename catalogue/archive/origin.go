package archive

import (
	"os"

	"bestpick/catalogue"
	"bestpick/catalogue/read"
	"bestpick/table"
)

// encoded reads arms of any format: see [Open].
func encoded(source read.Source, options catalogue.Options, dimensions int) (*Encoded, error) {
	switch ending := catalogue.Ending(source.Name); {
	case ending == savedEnding:
		saved, err := loadSource(source, options.Limits)
		if err != nil {
			return nil, err
		}
		return &Encoded{Catalogue: *saved}, nil
	case catalogue.IsProfiles(ending):
		return openProfiles(source.Contents, source.Name, options)
	}
	t, err := source.Table(options)
	if err != nil {
		return nil, err
	}
	return encodeWithin(t, dimensions, options.Limits)
}

// loadSource loads a saved catalogue.
func loadSource(source read.Source, limits table.Limits) (*Catalogue, error) {
	size, known := source.Size()
	if !known {
		return nil, table.ReadError(source.Name, os.ErrInvalid)
	}
	return loadWithin(source.Contents, size, source.Name, limits)
}
