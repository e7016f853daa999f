package encode

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"bestpick/catalogue"
	"bestpick/table"
)

// learn returns how a column becomes features, nil where it is the same for all arms.
func learn(t *catalogue.Table, column *catalogue.Column, dimensions int, problems *catalogue.Problems) *Coding {
	if !utf8.ValidString(column.Name) {
		problems.Add(t.Source, 0, column.Name, "the name is not UTF-8 text")
		return nil
	}
	switch column.Kind { //nolint:exhaustive // only features are learned
	case catalogue.Number:
		return learnNumber(t, column, problems)
	case catalogue.Boolean:
		truths := checkBooleans(t, column, problems)
		if !slices.Contains(truths, 0) || !slices.Contains(truths, 1) {
			return nil
		}
		return (&Coding{Column: column.Name, Kind: catalogue.Boolean}).named()
	case catalogue.Category:
		return learnCategory(t, column, problems)
	default:
		if !checkVectors(t, column, problems) {
			return nil
		}
		if column.Width > mostNumbers {
			problems.Add(t.Source, 0, column.Name, "vectors of %s numbers are too long (at most %s)", table.Grouped(column.Width), table.Grouped(mostNumbers))
			return nil
		}
		principal := newPrincipal(column, dimensions)
		if principal == nil {
			return nil
		}
		return (&Coding{Column: column.Name, Kind: catalogue.Embedding, Embedding: principal}).named()
	}
}

// learnNumber takes the mean and the standard deviation of the arms at hand.
func learnNumber(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) *Coding {
	if !checkNumbers(t, column, problems) {
		return nil
	}
	x := column.Numbers
	if slices.Min(x) == slices.Max(x) {
		return nil
	}
	mean := 0.0
	for _, value := range x {
		mean += value
	}
	mean /= float64(len(x))
	squares := 0.0
	for _, value := range x {
		squares += (value - mean) * (value - mean)
	}
	scale := math.Sqrt(squares / float64(len(x)))
	if !(scale > 0) || math.IsInf(scale, 0) {
		problems.Add(t.Source, 0, column.Name, "numbers from %g to %g are too large or too close to be scaled", slices.Min(x), slices.Max(x))
		return nil
	}
	return (&Coding{Column: column.Name, Kind: catalogue.Number, Mean: mean, Scale: scale}).named()
}

// learnCategory takes the levels in the order in which they appear.
func learnCategory(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) *Coding {
	coding := &Coding{Column: column.Name, Kind: catalogue.Category}
	seen := map[string]bool{}
	for row, level := range column.Texts {
		switch {
		case seen[level]:
		case table.IsMissing(level):
			problems.Add(t.Source, t.Line(row), column.Name, "the value is missing")
		case !utf8.ValidString(level):
			problems.Add(t.Source, t.Line(row), column.Name, "%q is not UTF-8 text", level)
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

// checkNumbers reports whether all numbers are finite, and notes those that are not.
func checkNumbers(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) bool {
	finite := true
	for row, x := range column.Numbers {
		if x-x == 0 {
			continue
		}
		finite = false
		if math.IsNaN(x) {
			problems.Add(t.Source, t.Line(row), column.Name, "the value is missing")
		} else {
			problems.Add(t.Source, t.Line(row), column.Name, "%v is not a finite number", x)
		}
	}
	return finite
}

// checkVectors does the same for vectors.
func checkVectors(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) bool {
	finite := true
	for i, x := range column.Vectors {
		if x-x != 0 {
			finite = false
			problems.Add(t.Source, t.Line(i/column.Width), column.Name, "number %d of the vector is %v", i%column.Width+1, x)
		}
	}
	return finite
}

// checkBooleans returns 1 for every arm for which the column is true and 0 where it is false,
// and notes what is neither.
func checkBooleans(t *catalogue.Table, column *catalogue.Column, problems *catalogue.Problems) []int32 {
	truths := make([]int32, len(column.Texts))
	for row, text := range column.Texts {
		value, known := catalogue.BooleanValue(text)
		switch {
		case value:
			truths[row] = 1
		case known:
		case table.IsMissing(text):
			problems.Add(t.Source, t.Line(row), column.Name, "the value is missing")
		default:
			problems.Add(t.Source, t.Line(row), column.Name, "%q is neither true nor false", text)
		}
	}
	return truths
}
