package baseline

import (
	"fmt"

	"bestpick/choice"
	"bestpick/strategy"
)

// Names returns the names that [New] accepts.
func Names() []string {
	return []string{random, static, adaptive, glgape, rageGLM, topTwo, traceTheBest}
}

// New returns the strategy with the given name.
func New(name string, c *choice.Catalogue, s Settings) (strategy.Strategy, error) {
	return newByName(name, c, s)
}

func newByName(name string, c *choice.Catalogue, s Settings) (restorable, error) {
	switch name {
	case random:
		return NewRandom(c, s)
	case static:
		return NewStatic(c, s)
	case adaptive:
		return NewAdaptive(c, s)
	case glgape:
		return NewGLGapE(c, s)
	case rageGLM:
		return NewRAGE(c, s)
	case topTwo:
		return NewTopTwo(c, s)
	case traceTheBest:
		return NewTraceTheBest(c, s)
	}
	return nil, fmt.Errorf("unknown strategy %q", name)
}

// Restore returns the strategy of a snapshot, over the same catalogue. It returns
// [strategy.ErrSnapshot] for any other data, including snapshots of other versions; the caller then
// replays the answers.
func Restore(c *choice.Catalogue, data []byte) (strategy.Strategy, error) {
	var saved snapshot
	if err := strategy.Unseal(data, snapshotName, snapshotVersion, &saved); err != nil {
		return nil, err
	}
	if saved.Arms != c.Len() || len(saved.Theta) != c.Dim() {
		return nil, strategy.ErrSnapshot
	}
	s, err := newByName(saved.Name, c, saved.Settings)
	if err != nil {
		return nil, err
	}
	return s, s.restore(saved)
}
