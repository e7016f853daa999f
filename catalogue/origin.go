package catalogue

import (
	"io"
	"os"

	"bestpick/table"
)

// An origin is where arms are read from: a file, or an upload.
type origin struct {
	name     string // what to call it; how it ends says what it is
	contents contents

	// ids opens the ids of a .npy, and says what to call them.
	ids func() (io.ReadCloser, string, error)
}

// contents are those of a file.
type contents interface {
	io.Reader
	io.ReaderAt
}

// encoded reads arms of any format: see [Open].
func (o origin) encoded(options Options, dimensions int) (*Encoded, error) {
	switch kind := ending(o.name); {
	case kind == savedEnding:
		saved, err := o.saved(options.limits)
		if err != nil {
			return nil, err
		}
		return &Encoded{Saved: *saved}, nil
	case isProfiles(kind):
		return openProfiles(o.contents, o.name, options)
	}
	t, err := o.table(options)
	if err != nil {
		return nil, err
	}
	return encodeWithin(t, dimensions, options.limits)
}

// saved reads a catalogue that was saved.
func (o origin) saved(limits table.Limits) (*Saved, error) {
	size, known := sizeOf(o.contents)
	if !known {
		return nil, readError(o.name, os.ErrInvalid)
	}
	return loadWithin(o.contents, size, o.name, limits)
}

// table reads a table of arms: see [File].
func (o origin) table(options Options) (*Table, error) {
	if !startsWith(o.contents, npyMagic) && ending(o.name) != ".npy" {
		return Read(o.contents, o.name, options)
	}
	ids, name, err := o.ids()
	if err != nil {
		return nil, err
	}
	defer func() { _ = ids.Close() }() // they were only read
	return ReadNPY(o.contents, o.name, ids, name, options)
}
