package racing

import "bestpick/choice"

// sizes has the number of arms up to which a look compares all of them, and the numbers of arms it
// compares beyond.
type sizes struct {
	few      int
	doubtful int // the most doubtful arms
	random   int // arms drawn from all that are not eliminated
}

func defaultSizes() sizes { return sizes{few: 4096, doubtful: 256, random: 16} }

// isMany reports whether a look compares only some of the arms.
func (s sizes) isMany(c *choice.Catalogue) bool { return c.Product() != nil || c.Len() > s.few }
