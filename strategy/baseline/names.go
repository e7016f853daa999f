package baseline

import (
	"fmt"

	"bestpick/choice"
	"bestpick/strategy"
)

// The names of the strategies in commands and snapshots.
const (
	random   = "random"
	static   = "static"
	adaptive = "adaptive"
	glgape   = "glgape"
)

// Names returns the names that [New] accepts.
func Names() []string { return []string{random, static, adaptive, glgape} }

// New returns the strategy with the given name.
func New(name string, c *choice.Catalogue, s Settings) (strategy.Strategy, error) {
	return newByName(name, c, s)
}

// A restorable strategy can load its own snapshot.
type restorable interface {
	strategy.Strategy
	restore(saved snapshot) error
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
	}
	return nil, fmt.Errorf("strategy: there is none called %q", name)
}
