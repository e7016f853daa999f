package recorded

// A layout says where in a row of the model each alternative has its constant and its coefficients.
type layout struct {
	constants int
	constant  []int // by alternative, −1 for none
	blocks    []block
}

// A block is the place of a feature in a row of the model.
type block struct {
	text    bool
	numbers []float64 // of levels that are numbers with units

	width int   // per alternative
	units int   // how many alternatives have coefficients of their own; 1 if all have the same
	place []int // which of the units, by alternative, −1 for none; nil if all have the same
}

func (c *Coding) layout() layout {
	l := layout{constant: make([]int, len(c.alternatives.names))}
	for at := range l.constant {
		l.constant[at] = -1
	}
	for place, at := range c.withConstant() {
		l.constant[at] = place
		l.constants++
	}
	for i := range c.features {
		f := &c.features[i]
		b := block{text: f.text, numbers: f.numbers, width: f.width(), units: 1}
		if f.byAlternative {
			b.units = 0
			for at := range c.alternatives.names {
				if !c.hasCoefficient(f, at) {
					b.place = append(b.place, -1)
					continue
				}
				b.place = append(b.place, b.units)
				b.units++
			}
		}
		l.blocks = append(l.blocks, b)
	}
	return l
}

// width returns the length of a row of the model.
func (l *layout) width() int {
	width := l.constants
	for _, b := range l.blocks {
		width += b.units * b.width
	}
	return width
}

// fill fills a zero row of the model from a collected row: a number for each feature, then the alternative,
// −1 if it is not known.
func (l *layout) fill(row, collected []float64) {
	alternative := -1
	if len(collected) > len(l.blocks) {
		alternative = int(collected[len(l.blocks)])
	}
	if alternative >= 0 && l.constant[alternative] >= 0 {
		row[l.constant[alternative]] = 1
	}
	row = row[l.constants:]
	for i := range l.blocks {
		b := &l.blocks[i]
		place := 0
		if b.place != nil {
			place = b.place[alternative]
		}
		switch unit := row[max(place, 0)*b.width:]; {
		case place < 0:
		case b.numbers != nil:
			unit[0] = b.numbers[int(collected[i])]
		case !b.text:
			unit[0] = collected[i]
		case collected[i] > 0:
			unit[int(collected[i])-1] = 1
		}
		row = row[b.units*b.width:]
	}
}
