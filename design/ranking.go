package design

import (
	"cmp"
	"slices"
)

// A ranking sorts directions by width, the widest first, as far down as requested so far, but at
// most a share of the arms: only the widest of very many directions are ever sorted. Directions
// come in families, each with the widths of the directions from all arms to one end.
type ranking struct {
	families []family
	list     []ranked
	most     int              // the largest length of list
	low, top float64          // no request goes below low; top is the largest width at the start
	widest   float64          // the largest width
	level    int              // list has all directions of the bins from level on
	counts   [rankingBins]int // the number of directions in each bin between low and top
}

// A family is the directions a_j − a_end of all arms j, or a_j alone if end is -1. Arms without a
// direction have width zero.
type family struct {
	end    int
	widths []float64
}

// A ranked direction is arm − end, or arm alone if end is -1.
type ranked struct {
	width    float64
	arm, end int
}

const (
	rankingBins  = 512
	rankingStart = 256 // directions sorted at first, and eight times as many each time after
	rankingShare = 8   // at most 1/rankingShare of the arms are sorted
)

// start ranks the families. No later request goes below low.
func (r *ranking) start(families []family, low, top float64) {
	r.families, r.list, r.low, r.top, r.widest, r.level = families, r.list[:0], low, top, top, rankingBins
	r.most = len(families[0].widths)/rankingShare + fewOpen
	clear(r.counts[:])
	for _, f := range families {
		r.count(f)
	}
	r.extend()
}

// bin returns the bin of a width above low.
func (r *ranking) bin(width float64) int {
	return int(min(rankingBins-1, (width-r.low)/(r.top-r.low)*rankingBins))
}

func (r *ranking) count(f family) {
	for _, width := range f.widths {
		if width > r.low {
			r.counts[r.bin(width)]++
			r.widest = max(r.widest, width)
		}
	}
}

// extend sorts more directions. It reports false if there are no more, or too many.
func (r *ranking) extend() bool {
	before, more := r.level, 0
	for r.level > 0 && more < max(rankingStart, 7*len(r.list)) && len(r.list)+more+r.counts[r.level-1] <= r.most {
		r.level--
		more += r.counts[r.level]
	}
	if more == 0 {
		return false
	}
	start := len(r.list)
	for _, f := range r.families {
		r.collect(f, before)
	}
	slices.SortFunc(r.list[start:], wider)
	return true
}

// collect appends the directions of a family in bins from level to before.
func (r *ranking) collect(f family, before int) {
	for arm, width := range f.widths {
		if width <= r.low {
			continue
		}
		if bin := r.bin(width); bin >= r.level && bin < before {
			r.list = append(r.list, ranked{width, arm, f.end})
		}
	}
}

// add ranks one more family.
func (r *ranking) add(f family) {
	r.families = append(slices.Clip(r.families), f)
	r.count(f)
	r.collect(f, rankingBins)
	slices.SortFunc(r.list, wider)
}

func wider(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.width, a.width), cmp.Compare(a.arm, b.arm), cmp.Compare(a.end, b.end))
}

// at returns the direction of rank k. If fewer are sorted, it returns only an upper bound on the
// width of rank k.
func (r *ranking) at(k int) (way ranked, ok bool) {
	switch {
	case k < len(r.list) || r.extend():
		return r.list[k], true
	case r.level == rankingBins:
		return ranked{width: r.widest}, false
	default:
		return ranked{width: r.low + (r.top-r.low)*float64(r.level)/rankingBins}, false
	}
}
