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
		return made(majority.New(c, settings.majority()))
	case settings.Fallback > 0:
		return made(newFallback(c, settings))
	}
	return made(newLinear(c, settings, defaultLookSizes()))
}

// made returns a race, or on an error nil instead of an interface with a nil pointer.
func made[R Race](r R, err error) (Race, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Restore returns the strategy of a snapshot, over the same catalogue. It returns
// [strategy.ErrSnapshot] for any other data, including snapshots of other versions; the caller then
// replays the answers.
func Restore(c *choice.Catalogue, data []byte) (Race, error) {
	is := func(name string) bool { return bytes.HasPrefix(data, fmt.Appendf(nil, `{"strategy":%q,`, name)) }
	switch {
	case is(fallbackName):
		return made(restoreFallback(c, data))
	case is(snapshotName):
		return made(restoreLinear(c, data, defaultLookSizes()))
	}
	return made(majority.Restore(c, data))
}
