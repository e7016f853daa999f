package racing

import (
	"bytes"
	"fmt"

	"bestpick/choice"
	"bestpick/strategy"
	"bestpick/strategy/majority"
)

// New returns the certified strategy for the arms of a catalogue.
func New(c *choice.Catalogue, settings Settings) (Race, error) {
	settings = settings.WithDefaults()
	if err := settings.Check(c); err != nil {
		return nil, err
	}
	switch {
	case settings.Assume == strategy.Majority:
		return asRace(majority.New(c, settings.majority()))
	case settings.Fallback > 0:
		return asRace(newFallback(c, settings))
	}
	return asRace(newLinear(c, settings, defaultLookSizes()))
}

// asRace returns a race, or on an error nil instead of an interface with a nil pointer.
func asRace[R Race](r R, err error) (Race, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Restore returns the strategy of a snapshot, over the same catalogue. It returns [strategy.ErrSnapshot] for any other data,
// including snapshots of other versions; the caller then replays the answers.
func Restore(c *choice.Catalogue, data []byte) (Race, error) {
	is := func(name string) bool { return bytes.HasPrefix(data, fmt.Appendf(nil, `{"strategy":%q,`, name)) }
	switch {
	case is(fallbackName):
		return asRace(restoreFallback(c, data))
	case is(snapshotName):
		return asRace(restoreLinear(c, data, defaultLookSizes()))
	}
	return asRace(majority.Restore(c, data))
}
