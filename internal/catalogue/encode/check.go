package encode

import (
	"math"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

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
			problems.Add(t.Source, t.Line(row), column.Name, table.Problemf("no-value", "the value is missing"))
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
