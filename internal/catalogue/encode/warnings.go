package encode

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"bestpick/choice"
	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A Warning is something about the arms that a statistician would raise before the study.
type Warning struct {
	Column  string        `json:"column,omitempty"` // the one it is about, if it is about one
	Text    string        `json:"text"`
	Problem table.Problem `json:"-"` // by its code on pages
}

// String returns the sentence.
func (w Warning) String() string { return w.Text }

// maxNamed is how many arms, levels or columns a warning names.
const maxNamed = 3

// Warnings returns what is doubtful about the arms of a table, of which [Encoding.Encode] made
// the catalogue c. If the table lacks a column of the encoding that is not an embedding, it returns
// only those about features.
func (e *Encoding) Warnings(t *catalogue.Table, c *choice.Catalogue) []Warning {
	warnings := e.armWarnings(c, namesIn(t, c))
	if slices.ContainsFunc(e.Columns, func(c *Coding) bool {
		return c.Kind != catalogue.Embedding && c.needed() && t.Column(c.Column) == nil
	}) {
		return warnings
	}
	add := adding(&warnings)
	sources := e.open(t, &catalogue.Problems{})
	warnOfRareLevels(sources, c, add)
	warnOfOutliers(sources, c.ID, add)
	for _, s := range sources {
		if s.coding.Kind == catalogue.Embedding {
			s.warnOfVarianceLost(add)
		}
	}
	return warnings
}

// adding returns what adds to a list of warnings.
func adding(warnings *[]Warning) func(column, code, format string, arguments ...any) {
	return func(column, code, format string, arguments ...any) {
		*warnings = append(*warnings, NewWarning(column, code, format, arguments...))
	}
}

// NewWarning returns a warning. Its arguments are the parts of the message.
func NewWarning(column, code, format string, arguments ...any) Warning {
	p := table.Problemf(code, format, arguments...)
	return Warning{Column: column, Text: p.Text, Problem: p}
}

// armWarnings returns what is doubtful about the features of the arms.
func (e *Encoding) armWarnings(c *choice.Catalogue, name func(arm int) string) []Warning {
	var warnings []Warning
	add := adding(&warnings)
	warnOfEqualArms(c, name, add)
	if e.PerOption() {
		add("", "no-attributes", "the options have no attributes, so each of the %d is learned on its own: columns that describe them "+
			"would reduce the number of answers", c.Len())
	} else if d, n := c.Dim(), c.Len(); d >= n-1 {
		add("", "many-features", "there are as many independent features as differences between arms (%d for %d arms): every arm is "+
			"learned on its own, and says nothing about the others", d, n)
	}
	warnOfLongArms(c, add)
	return append(warnings, e.NearlyWarnings()...)
}

// NearlyWarnings are about the columns that say little more than others.
func (e *Encoding) NearlyWarnings() []Warning {
	var warnings []Warning
	for _, d := range e.Nearly {
		others := "other columns"
		if len(d.By) > 0 {
			others = catalogue.Enumerate(d.By, maxNamed)
		}
		warnings = append(warnings,
			NewWarning(d.Name, "nearly", "%s is nearly determined by %s: their effects are hard to tell apart", d.Name, others))
	}
	return warnings
}

// namesIn returns the names of arms, of which the last are those of a table.
func namesIn(t *catalogue.Table, c *choice.Catalogue) func(arm int) string {
	labels, before := t.First(catalogue.Label), c.Len()-t.Len()
	return func(arm int) string {
		if labels != nil && arm >= before && labels.Texts[arm-before] != "" {
			return labels.Texts[arm-before]
		}
		return c.ID(arm)
	}
}

// warnOfEqualArms finds arms with the same features.
func warnOfEqualArms(
	c *choice.Catalogue, name func(arm int) string, add func(column, code, format string, arguments ...any),
) {
	var texts []string
	for _, group := range equalArms(c) {
		var names []string
		for _, arm := range group {
			names = append(names, fmt.Sprintf("%s (%d)", name(arm), arm+1))
		}
		texts = append(texts, strings.Join(names[:min(len(names), maxNamed)], " = "))
	}
	if len(texts) > maxNamed {
		texts = append(texts[:maxNamed], "…")
	}
	if len(texts) > 0 {
		add("", "equal", "some options are equal in all columns that are used (rows in brackets): %s", strings.Join(texts, "; "))
	}
}

// equalArms returns the groups of arms with equal features, in the order of their first arms.
func equalArms(c *choice.Catalogue) (groups [][]int) {
	seed := maphash.MakeSeed()
	first, others := make(map[uint64]int, c.Len()), map[int][]int{}
	for i := range c.Len() {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, x := range c.Arm(i) {
			maphash.WriteComparable(&h, x)
		}
		if arm, met := first[h.Sum64()]; !met {
			first[h.Sum64()] = i
		} else if slices.Equal(c.Arm(i), c.Arm(arm)) {
			others[arm] = append(others[arm], i)
		}
	}
	for _, arm := range slices.Sorted(maps.Keys(others)) {
		groups = append(groups, append([]int{arm}, others[arm]...))
	}
	return groups
}

// warnOfLongArms finds arms outside the unit ball, where only later ones can be.
func warnOfLongArms(c *choice.Catalogue, add func(column, code, format string, arguments ...any)) {
	var names []string
	for i := range c.Len() {
		square := 0.0
		for _, x := range c.Arm(i) {
			square += x * x
		}
		if square > 1 {
			names = append(names, c.ID(i))
		}
	}
	if len(names) > 0 {
		add("", "unit-ball", "outside the unit ball of the first arms: %s; the paper's theorems assume that no arm is",
			catalogue.Enumerate(names, maxNamed))
	}
}

// warnOfOutliers finds numbers so far from the others that they decide their scale, the farthest of
// each column.
func warnOfOutliers(sources []source, id func(row int) string, add func(column, code, format string, arguments ...any)) {
	const far, mostAlone = 8, 2
	type outlier struct {
		column, arm, value string
		distance           float64
	}
	var found []outlier
	for _, s := range sources {
		if s.coding.Kind != catalogue.Number {
			continue
		}
		most, arm := 0.0, 0
		for row, x := range s.column.Numbers {
			if distance := math.Abs(x-s.coding.Mean) / s.coding.Scale; distance > most {
				most, arm = distance, row
			}
		}
		if most > far {
			found = append(found, outlier{s.coding.Column, id(arm), s.column.Text(arm), most})
		}
	}
	if len(found) > mostAlone {
		var texts []string
		for _, o := range found {
			texts = append(texts, fmt.Sprintf("%s of %s (%s)", o.column, o.arm, o.value))
		}
		add("", "outliers", "%d columns have a value more than %d standard deviations from the mean, "+
			"which decides much of their effect: %s",
			len(found), far, catalogue.Enumerate(texts, maxNamed))
		return
	}
	for _, o := range found {
		add(o.column, "outlier", "%s of %s is %s, %.0f standard deviations from the mean: this arm alone decides much of the effect",
			o.column, o.arm, o.value, o.distance)
	}
}

// warnOfRareLevels finds the levels that only one arm has.
func warnOfRareLevels(sources []source, c *choice.Catalogue, add func(column, code, format string, arguments ...any)) {
	var rare []string
	column, only := "", 0
	for _, s := range sources {
		levels := s.coding.Levels
		if s.coding.Kind == catalogue.Boolean {
			levels = []string{"false", "true"}
		}
		counts, arms := make([]int, len(levels)), make([]int, len(levels))
		for row, level := range s.levels {
			if level != noTruth {
				counts[level]++
				arms[level] = row
			}
		}
		for l, count := range counts {
			if count != 1 {
				continue
			}
			if len(rare) == 0 {
				column = s.coding.Column
			} else if column != s.coding.Column {
				column = ""
			}
			rare = append(rare, s.coding.Column+"="+levels[l])
			only = arms[l]
		}
	}
	switch len(rare) {
	case 0:
	case 1:
		add(column, "rare-level", "only %s has %s: the effect is that of this arm alone", c.ID(only), rare[0])
	default:
		add(column, "rare-levels", "%d levels have one arm each (%s): their effects are those of these arms alone", len(rare),
			catalogue.Enumerate(rare, maxNamed))
	}
}

// warnOfVarianceLost tells what was lost of an embedding.
func (s *source) warnOfVarianceLost(add func(column, code, format string, arguments ...any)) {
	const enough = 0.8
	p := s.coding.Embedding
	if p.Kept < enough {
		add(s.coding.Column, "variance", "the %d dimensions of %s keep %.0f%% of its variance: what people like may be in the rest%s",
			len(p.Axes), s.coding.Column, 100*p.Kept, p.NeededText("; "))
	}
}

// CopyWarnings warns of arms that are near copies, with a function that returns their names.
func CopyWarnings(c *choice.Catalogue, name func(arm int) string) []Warning {
	pairs := nearCopies(c, name)
	if len(pairs) == 0 {
		return nil
	}
	copies := catalogue.Enumerate(pairs, maxNamed)
	return []Warning{NewWarning("", "copies", "%s seem to be copies of each other: similar options split votes, "+
		"so rank all options of a question, ask for pairs, or leave the copies out", copies)}
}

// nearCopies returns the pairs of arms whose names differ only in case and spaces, or whose features differ by less than
// a thousandth of the largest difference, but not by nothing. It compares the features of few arms only; many arms may
// share a title and differ in their attributes, as models of a product do.
func nearCopies(c *choice.Catalogue, name func(arm int) string) (pairs []string) {
	const few, small = 50, 1e-3
	pair := func(a, b int) string {
		if name(a) == name(b) {
			return c.ID(a) + " / " + c.ID(b)
		}
		return name(a) + " / " + name(b)
	}
	first := map[string]int{}
	for arm := range c.Len() {
		plain := strings.ToLower(strings.Join(strings.Fields(name(arm)), ""))
		switch other, met := first[plain]; {
		case !met:
			first[plain] = arm
		case c.Len() <= few || name(other) != name(arm):
			pairs = append(pairs, pair(other, arm))
		}
	}
	if c.Len() > few {
		return pairs
	}
	largest := 0.0
	each := func(found func(a, b int, apart float64)) {
		for a := range c.Len() {
			for b := range a {
				found(b, a, floats.Distance(c.Arm(a), c.Arm(b), 2))
			}
		}
	}
	each(func(_, _ int, apart float64) { largest = max(largest, apart) })
	each(func(a, b int, apart float64) {
		if apart > 0 && apart < small*largest && !slices.Contains(pairs, pair(a, b)) {
			pairs = append(pairs, pair(a, b))
		}
	})
	return pairs
}
