package racing

import "bestpick/choice"

// sizes says up to how many arms a look compares all of them, and how many of more.
type sizes struct {
	few      int
	doubtful int // the most doubtful arms
	random   int // arms drawn from all that are not eliminated
}

func defaultSizes() sizes { return sizes{few: 4096, doubtful: 256, random: 16} }

// isMany reports whether a look compares only some of the arms.
func (s sizes) isMany(c *choice.Catalogue) bool { return c.Product() != nil || c.Len() > s.few }
