package encode

import (
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// maxFeatures is how many features the columns may become. With more, answers would never be enough.
const maxFeatures = 2048

// NewEncoding learns how to turn the feature columns of a table into features. Each embedding
// is reduced to the given number of dimensions, 0 standing for 16.
func NewEncoding(t *catalogue.Table, dimensions int) (*Encoding, error) {
	const usual = 16
	if dimensions < 0 {
		return nil, errors.New("the number of dimensions must be positive")
	}
	if dimensions == 0 {
		dimensions = usual
	}
	if n := t.Len(); n < 2 {
		return nil, &table.Error{File: t.Source, Problem: table.Problemf("few-arms", "at least two arms are needed, there are %d", n)}
	}
	e := &Encoding{Version: version, Ball: 1}
	if column := t.First(catalogue.ID); column != nil {
		e.IDColumn = column.Name
	}
	for kind, name := range map[catalogue.Kind]*string{catalogue.Label: &e.LabelColumn, catalogue.Image: &e.ImageColumn} {
		if column := t.First(kind); column != nil && column.Name != kind.String() {
			*name = column.Name
		}
	}
	if err := e.learnColumns(t, dimensions); err != nil {
		return nil, err
	}
	if err := e.checkNames(); err != nil {
		return nil, &table.Error{File: t.Source, Problem: table.Problemf("features", "%v", err)}
	}
	if len(e.Columns) == 0 {
		options, err := learnOptions(t)
		if err != nil {
			return nil, err
		}
		e.Columns = []*Coding{options}
	}
	if count := len(e.Features()); count > maxFeatures {
		c := slices.MaxFunc(e.Columns, func(a, b *Coding) int { return len(a.Features) - len(b.Features) })
		return nil, &table.Error{File: t.Source, Column: c.Column, Problem: table.Problemf("many-features",
			"it becomes %d of %d features, and there can be %d; if it names or describes the arms, say so", len(c.Features), count,
			maxFeatures)}
	}
	if !e.PerOption() && (len(e.Columns) > 1 || e.Columns[0].Kind != catalogue.Embedding) { // whose axes are orthogonal
		e.leaveOut(t)
	}
	e.Ball = e.longest(t)
	return e, nil
}

// learnColumns learns how each column becomes features.
func (e *Encoding) learnColumns(t *catalogue.Table, dimensions int) error {
	var problems catalogue.Problems
	for i := range t.Columns {
		column := &t.Columns[i]
		if !column.Kind.Feature() {
			continue
		}
		if coding := learn(t, column, dimensions, &problems); coding != nil {
			e.Columns = append(e.Columns, coding)
		} else {
			e.LeftOut = append(e.LeftOut, Dependence{Name: column.Name})
		}
	}
	return problems.Err()
}

// learn returns how a column becomes features, nil where it is the same for all arms.
func learn(t *catalogue.Table, column *catalogue.Column, dimensions int, problems *catalogue.Problems) *Coding {
	if !utf8.ValidString(column.Name) {
		problems.Add(t.Source, 0, column.Name, table.Problemf("not-utf8", "the name is not UTF-8 text"))
		return nil
	}
	switch column.Kind { //nolint:exhaustive // only features are learned
	case catalogue.Number:
		return learnNumber(t, column, problems)
	case catalogue.Boolean:
		truths := checkBooleans(t, column, true, problems)
		if !slices.Contains(truths, 0) || !slices.Contains(truths, 1) {
			return nil
		}
		return (&Coding{Column: column.Name, Kind: catalogue.Boolean, Missing: slices.Contains(truths, noTruth)}).named()
	case catalogue.Category:
		return learnCategory(t, column, problems)
	default:
		if !checkVectors(t, column, problems) {
			return nil
		}
		if column.Width > maxNumbers {
			problems.Add(t.Source, 0, column.Name, table.Problemf("long-vectors", "vectors of %s numbers are too long (at most %s)",
				table.Grouped(column.Width), table.Grouped(maxNumbers)))
			return nil
		}
		principal := newPrincipal(column, dimensions)
		if principal == nil {
			return nil
		}
		return (&Coding{Column: column.Name, Kind: catalogue.Embedding, Embedding: principal}).named()
	}
}

// learnNumber learns the mean and the standard deviation of a column, of the arms that have a value.
func learnNumber(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) *Coding {
	if !checkNumbers(t, column, true, problems) {
		return nil
	}
	least, greatest, sum, count := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, value := range column.Numbers {
		if math.IsNaN(value) {
			continue
		}
		least, greatest = min(least, value), max(greatest, value)
		sum += value
		count++
	}
	if least >= greatest {
		return nil
	}
	mean := sum / float64(count)
	squares := 0.0
	for _, value := range column.Numbers {
		if !math.IsNaN(value) {
			squares += (value - mean) * (value - mean)
		}
	}
	scale := math.Sqrt(squares / float64(count))
	if !(scale > 0) || math.IsInf(scale, 0) {
		problems.Add(t.Source, 0, column.Name,
			table.Problemf("unscalable", "numbers from %g to %g are too large or too close to be scaled", least, greatest))
		return nil
	}
	return (&Coding{
		Column: column.Name, Kind: catalogue.Number, Mean: mean, Scale: scale, Format: column.Format,
		Missing: count < len(column.Numbers),
	}).named()
}

// learnCategory takes the levels in the order in which they appear.
func learnCategory(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) *Coding {
	coding := &Coding{Column: column.Name, Kind: catalogue.Category, Format: column.Format}
	seen := map[string]bool{}
	for row, text := range column.Texts {
		level := levelOf(text)
		switch {
		case seen[level]:
		case !utf8.ValidString(level):
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("not-utf8", "%q is not UTF-8 text", level))
		default:
			level = strings.Clone(level)
			seen[level] = true
			coding.Levels = append(coding.Levels, level)
		}
	}
	if len(coding.Levels) < 2 {
		return nil
	}
	return coding.named()
}

// learnOptions returns how arms without attributes become features.
func learnOptions(t *catalogue.Table) (*Coding, error) {
	if n := t.Len(); n > maxFeatures+1 {
		return nil, &table.Error{File: t.Source, Problem: table.Problemf("no-columns-many",
			"%s options without attributes are too many (at most %s); add columns that describe them", table.Grouped(n),
			table.Grouped(maxFeatures+1))}
	}
	return (&Coding{
		Column: optionName, Kind: catalogue.Category, Options: true,
		Levels: slices.Clone(optionColumn(t).Texts),
	}).named(), nil
}

// A Group is the combinations of levels of some attributes, independent of the other
// groups: every arm has one combination of each group.
type Group struct {
	Levels       []catalogue.Column // the levels that occur, by attribute
	Combinations *catalogue.Table   // of the attributes
	Never        [][]Dependence     // for each attribute, the levels that do not occur
}

// A GroupLearner learns an encoding of all combinations of groups, group by group.
type GroupLearner struct {
	encoding Encoding
	square   float64 // of the length of the longest arm
}

// Add learns how the attributes of a group become features, as [NewEncoding] does from arms: every
// level counts once.
func (l *GroupLearner) Add(g Group) error {
	var problems catalogue.Problems
	part := &Encoding{Ball: 1}
	for i := range g.Levels {
		column := &g.Levels[i]
		t := &catalogue.Table{Source: g.Combinations.Source, Columns: g.Levels[i : i+1]}
		part.LeftOut = append(part.LeftOut, g.Never[i]...)
		if coding := learn(t, column, 1, &problems); coding != nil {
			part.Columns = append(part.Columns, coding)
		} else {
			part.LeftOut = append(part.LeftOut, Dependence{Name: column.Name})
		}
	}
	if err := problems.Err(); err != nil {
		return err
	}
	if len(part.Columns) > 1 {
		part.leaveOut(g.Combinations)
	}
	longest := part.longest(g.Combinations)
	l.square += longest * longest
	l.encoding.Columns = append(l.encoding.Columns, part.Columns...)
	l.encoding.LeftOut = append(l.encoding.LeftOut, part.LeftOut...)
	l.encoding.Nearly = append(l.encoding.Nearly, part.Nearly...)
	return nil
}

// Encoding returns the encoding of all groups. Ball is the length of the longest arm.
func (l *GroupLearner) Encoding() (*Encoding, error) {
	e := l.encoding
	e.Version, e.Ball = version, math.Sqrt(l.square)
	if err := e.checkNames(); err != nil {
		return nil, err
	}
	if len(e.Columns) == 0 {
		return nil, errors.New("the profiles do not differ: every attribute has one allowed level")
	}
	return &e, nil
}
