package encode

import (
	"math"
	"sync"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// arms in a block are encoded together, column by column.
const blockLength = 512

// Encode turns the arms of a table into a catalogue, the first arms and later ones alike.
// Columns are found by name. Encode returns everything that cannot be encoded as [catalogue.Problems]:
// missing columns, levels that the first arms did not have, missing values.
func (e *Encoding) Encode(t *catalogue.Table) (*choice.Catalogue, error) {
	var problems catalogue.Problems
	ids := armIDs(t, 0, &problems)
	sources := e.open(t, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	cells, err := e.cells(t, sources)
	if err != nil {
		return nil, err
	}
	return NewCatalogue(ids, e.Features(), cells)
}

// Cells does the same, without making a catalogue: it returns the features of one arm after
// the other, and takes tables of a single arm.
func (e *Encoding) Cells(t *catalogue.Table) ([]float32, error) {
	var problems catalogue.Problems
	sources := e.open(t, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return e.cells(t, sources)
}

// cells encodes all arms, one after the other.
func (e *Encoding) cells(t *catalogue.Table, sources []source) ([]float32, error) {
	var problems catalogue.Problems
	features := e.Features()
	width := len(features)
	cells := make([]float32, t.Len()*width)
	eachBlock(sources, t.Len(), width, func(from int, block []float64) {
		out := cells[from*width:]
		for i, x := range block {
			out[i] = float32(x / e.Ball)
			if out[i]-out[i] != 0 {
				problems.Add(t.Source, t.Line(from+i/width), "",
					table.Problemf("far", "feature %q is too far from those of the other arms", features[i%width]))
			}
		}
	})
	return cells, problems.Err()
}

// A source is a column of the table that is encoded, with how it becomes features.
type source struct {
	coding *Coding
	column *catalogue.Column
	levels []int32   // of a Category or a Boolean: which one each arm has
	axes   []float64 // of an Embedding: number by number, for all axes
	places []int     // of the features in an arm; -1 for what is left out
}

// open finds the columns that are needed and checks that they can be encoded.
func (e *Encoding) open(t *catalogue.Table, problems *catalogue.Problems) []source {
	var sources []source
	place := 0
	for _, c := range e.Columns {
		if !c.needed() {
			continue
		}
		s := source{coding: c, column: t.Column(c.Column)}
		if c.Options {
			s.column = optionColumn(t)
		}
		for _, f := range c.Features {
			if f.leftOut() {
				s.places = append(s.places, -1)
				continue
			}
			s.places = append(s.places, place)
			place++
		}
		s.check(t, problems)
		sources = append(sources, s)
	}
	return sources
}

// check notes what cannot be encoded.
func (s *source) check(t *catalogue.Table, problems *catalogue.Problems) {
	c := s.coding
	if s.column == nil {
		problems.Add(t.Source, 0, c.Column, table.Problemf("study-column",
			"there is no such column, and the arms of the study have it"))
		return
	}
	if s.column.Kind != c.Kind {
		problems.Add(t.Source, 0, c.Column, table.Problemf("study-kind",
			"it is of kind %v, and for the arms of the study it is %v", s.column.Kind, c.Kind))
		return
	}
	switch c.Kind { //nolint:exhaustive // only features are encoded
	case catalogue.Number:
		checkNumbers(t, s.column, c.Missing, problems)
	case catalogue.Boolean:
		s.levels = checkBooleans(t, s.column, c.Missing, problems)
	case catalogue.Category:
		s.levels = c.findLevels(t, s.column, problems)
	case catalogue.Embedding:
		if s.column.Width != c.Embedding.Width() {
			problems.Add(t.Source, 0, c.Column, table.Problemf("study-width",
				"the vectors have %d numbers, those of the study have %d", s.column.Width, c.Embedding.Width()))
			return
		}
		checkVectors(t, s.column, problems)
		s.axes = c.Embedding.transposed()
	}
}

// findLevels returns the number of each arm's level.
func (c *Coding) findLevels(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) []int32 {
	number := make(map[string]int32, len(c.Levels))
	for l, level := range c.Levels {
		number[level] = int32(l)
	}
	levels := make([]int32, len(column.Texts))
	for row, text := range column.Texts {
		l, known := number[levelOf(text)]
		switch {
		case known:
		case table.IsMissing(text):
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("no-value", "the value is missing"))
		default:
			problems.Add(t.Source, t.Line(row), column.Name,
				table.Problemf("study-level", "%q is a level that no arm of the study has", text))
		}
		levels[row] = l
	}
	return levels
}

// eachBlock goes through the arms, a block at a time, and hands out their features before
// they are divided by Ball: one arm after the other, only good until the next block.
func eachBlock(sources []source, arms, width int, f func(from int, block []float64)) {
	buffer := make([]float64, blockLength*width)
	for from := 0; from < arms; from += blockLength {
		to := min(from+blockLength, arms)
		block := buffer[:(to-from)*width]
		clear(block)
		for i := range sources {
			sources[i].fill(block, width, from, to)
		}
		f(from, block)
	}
}

// fill sets the features of one column for a block of arms, all others of which are zero.
func (s *source) fill(block []float64, width, from, to int) {
	switch s.coding.Kind { //nolint:exhaustive // only features are encoded
	case catalogue.Number:
		mean, scale, place := s.coding.Mean, s.coding.Scale, s.places[0]
		for i, x := range s.column.Numbers[from:to] {
			if !s.coding.Missing {
				block[i*width+place] = (x - mean) / scale
				continue
			}
			s.fillOne(block[i*width:(i+1)*width], (x-mean)/scale, math.IsNaN(x))
		}
	case catalogue.Boolean:
		for i, truth := range s.levels[from:to] {
			s.fillOne(block[i*width:(i+1)*width], float64(2*truth-1), truth == noTruth)
		}
	case catalogue.Category:
		for i, level := range s.levels[from:to] {
			s.fillLevel(block[i*width:(i+1)*width], int(level))
		}
	case catalogue.Embedding:
		var projecting sync.WaitGroup
		middle := (from + to) / 2
		projecting.Go(func() { s.fillVectors(block[(middle-from)*width:], width, middle, to) })
		s.fillVectors(block, width, from, middle)
		projecting.Wait()
	}
}

// fillVectors sets the features of an embedding for a block of arms.
func (s *source) fillVectors(block []float64, width, from, to int) {
	scores := make([]float64, len(s.coding.Features))
	for row := from; row < to; row++ {
		s.coding.Embedding.project(scores, s.axes, s.column.Vector(row))
		for k, place := range s.places {
			if place >= 0 {
				block[(row-from)*width+place] = scores[k]
			}
		}
	}
}

// fillOne sets the features of a number or a boolean for one arm: its value, or that it is missing.
func (s *source) fillOne(arm []float64, value float64, missing bool) {
	switch {
	case !missing && s.places[0] >= 0:
		arm[s.places[0]] = value
	case missing && len(s.places) > 1 && s.places[1] >= 0:
		arm[s.places[1]] = 1
	}
}

// fillLevel sets the features of a category for one arm.
func (s *source) fillLevel(arm []float64, level int) {
	if level < len(s.places) {
		if place := s.places[level]; place >= 0 {
			arm[place] = 1
		}
		return
	}
	for _, place := range s.places {
		if place >= 0 {
			arm[place] = -1
		}
	}
}

// longest returns the length of the longest arm, with a little to spare: rounding to 32 bits
// must not push it out of the ball.
func (e *Encoding) longest(t *catalogue.Table) float64 {
	const spare = 0x1p-22
	width := len(e.Features())
	most := 0.0
	eachBlock(e.open(t, &catalogue.Problems{}), t.Len(), width, func(_ int, block []float64) {
		for ; len(block) > 0; block = block[width:] {
			square := 0.0
			for _, x := range block[:width] {
				square += x * x
			}
			most = max(most, square)
		}
	})
	return math.Sqrt(most) * (1 + spare)
}

// Append returns the catalogue with the arms of a table after its own, encoded alike. The ids must
// be new.
func (e *Encoding) Append(arms *choice.Catalogue, t *catalogue.Table) (*choice.Catalogue, error) {
	if e.PerOption() {
		return nil, &table.Error{File: t.Source, Problem: table.Problemf("no-attributes",
			"no options can be added, since those of the study have no attributes; create another study with all of them")}
	}
	var problems catalogue.Problems
	later := armIDs(t, arms.Len(), &problems)
	for row, id := range later {
		if _, there := arms.Index(id); there {
			problems.Add(t.Source, t.Line(row), "", table.Problemf("arm-exists", "an arm %q is there already", id))
		}
	}
	sources := e.open(t, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	added, err := e.cells(t, sources)
	if err != nil {
		return nil, err
	}
	first := arms.Len()
	ids := make([]string, 0, first+len(later))
	cells := make([]float32, 0, first*arms.Dim()+len(added))
	for i := range first {
		ids = append(ids, arms.ID(i))
		for _, x := range arms.Arm(i) {
			cells = append(cells, float32(x))
		}
	}
	return NewCatalogue(append(ids, later...), arms.Features(), append(cells, added...))
}

// CheckSize returns an error if the features of this many arms take more memory than the limits allow.
func (e *Encoding) CheckSize(source string, arms int, limits table.Limits) error {
	const size = 4 // bytes of a feature in memory
	if features := len(e.Features()); limits.Bytes > 0 && int64(arms)*int64(features)*size > limits.Bytes {
		return &table.Error{File: source, Problem: table.Problemf("memory", "%s arms of %s features take more than %s in memory",
			table.Grouped(arms), table.Grouped(features), table.Size(limits.Bytes))}
	}
	return nil
}

// checkNumbers reports whether all numbers are finite, and adds a problem for each other one, unless
// it is missing and may be.
func checkNumbers(t *catalogue.Table, column *catalogue.Column, maybeMissing bool, problems *catalogue.Problems) bool {
	finite := true
	for row, x := range column.Numbers {
		if x-x == 0 || maybeMissing && math.IsNaN(x) {
			continue
		}
		finite = false
		if math.IsNaN(x) {
			problems.Add(t.Source, t.Line(row), column.Name, table.NoNumber(column.Text(row)))
		} else {
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("not-finite", "%v is not a finite number", x))
		}
	}
	return finite
}

// checkVectors does the same for vectors.
func checkVectors(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) bool {
	finite := true
	for i, x := range column.Vectors {
		if x-x != 0 {
			problems.Add(t.Source, t.Line(i/column.Width), column.Name,
				table.Problemf("vector-number", "number %d of the vector is %v", i%column.Width+1, x))
			finite = false
		}
	}
	return finite
}

// noTruth is what [checkBooleans] returns for an arm without a value.
const noTruth = -1

// checkBooleans returns 1 for every arm for which the column is true and 0 where it is false,
// and notes what is neither. Values may be missing or not.
func checkBooleans(t *catalogue.Table, column *catalogue.Column, maybeMissing bool, problems *catalogue.Problems) []int32 {
	truths := make([]int32, len(column.Texts))
	for row, text := range column.Texts {
		value, known := catalogue.BooleanValue(text)
		switch {
		case value:
			truths[row] = 1
		case known:
		case table.IsMissing(text):
			truths[row] = noTruth
			if maybeMissing {
				continue
			}
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("no-value", "the value is missing"))
		default:
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("no-boolean", "%q is neither true nor false", text))
		}
	}
	return truths
}

// levelOf returns the level of an arm with a text in a Category.
func levelOf(text string) string {
	if table.IsMissing(text) {
		return catalogue.MissingLevel
	}
	return text
}
