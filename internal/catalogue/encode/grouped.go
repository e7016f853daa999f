package encode

import (
	"errors"
	"math"

	"bestpick/internal/catalogue"
)

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
