package catalogue

import (
	"os"

	"bestpick/table"
)

// encoded reads arms of any format: see [Open].
func encoded(source Source, options Options, dimensions int) (*Encoded, error) {
	switch ending := Ending(source.Name); {
	case ending == savedEnding:
		saved, err := loadSource(source, options.Limits)
		if err != nil {
			return nil, err
		}
		return &Encoded{Saved: *saved}, nil
	case IsProfiles(ending):
		return openProfiles(source.Contents, source.Name, options)
	}
	t, err := source.Table(options)
	if err != nil {
		return nil, err
	}
	return encodeWithin(t, dimensions, options.Limits)
}

// loadSource loads a saved catalogue.
func loadSource(source Source, limits table.Limits) (*Saved, error) {
	size, known := source.Size()
	if !known {
		return nil, ReadError(source.Name, os.ErrInvalid)
	}
	return loadWithin(source.Contents, size, source.Name, limits)
}
