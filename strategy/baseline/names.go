package strategy

import (
	"fmt"

	"bestpick/choice"
)

// The names by which strategies are known to commands and snapshots.
const (
	random   = "random"
	static   = "static"
	adaptive = "adaptive"
	glgape   = "glgape"
	racing   = "racing"
)

// Names returns the names that [New] knows.
func Names() []string { return []string{random, static, adaptive, glgape, racing} }

// New returns the strategy of that name.
func New(name string, c *choice.Catalogue, s Settings) (Strategy, error) {
	switch name {
	case random:
		return NewRandom(c, s)
	case static:
		return NewStatic(c, s)
	case adaptive:
		return NewAdaptive(c, s)
	case glgape:
		return NewGLGapE(c, s)
	case racing:
		return NewRacing(c, s)
	}
	return nil, fmt.Errorf("strategy: there is none called %q", name)
}
