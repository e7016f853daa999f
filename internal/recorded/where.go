package recorded

import (
	"fmt"
	"slices"
	"strings"

	"bestpick/internal/table"
)

// A Condition compares a column with values: price>=10, mode!=walk, or purpose=1|3 for either value.
type Condition struct {
	Column, Operator string
	Values           []string // one, unless the operator is = or !=
}

// ParseCondition parses a condition such as price>=10.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "=!<>")
	if at > 0 {
		for _, operator := range []string{"!=", "<=", ">=", "=", "<", ">"} {
			values, found := strings.CutPrefix(text[at:], operator)
			if !found {
				continue
			}
			c := Condition{Column: strings.TrimSpace(text[:at]), Operator: operator, Values: []string{values}}
			if operator == "=" || operator == "!=" {
				c.Values = strings.Split(values, "|")
			} else if _, ok := table.ParseNumber(strings.TrimSpace(values)); !ok {
				return Condition{}, fmt.Errorf("%q must compare with a number, got %q", text, values)
			}
			for i := range c.Values {
				c.Values[i] = strings.TrimSpace(c.Values[i])
			}
			return c, nil
		}
	}
	return Condition{}, fmt.Errorf("%q must be a column, one of = != < <= > >= and a value, such as purpose=1|3", text)
}

// holds reports whether a text satisfies the condition. Numbers are equal if their values are.
func (c Condition) holds(text string) bool {
	x, isNumber := table.ParseNumber(text)
	equal := slices.ContainsFunc(c.Values, func(value string) bool {
		y, ok := table.ParseNumber(value)
		return text == value || isNumber && ok && x == y
	})
	bound, _ := table.ParseNumber(c.Values[0])
	switch c.Operator {
	case "=":
		return equal
	case "!=":
		return !equal
	case "<":
		return isNumber && x < bound
	case "<=":
		return isNumber && x <= bound
	case ">":
		return isNumber && x > bound
	default:
		return isNumber && x >= bound
	}
}

// filteredRows are the rows that satisfy all conditions.
type filteredRows struct {
	rows

	where   []Condition
	columns []int
}

func filter(all rows, where []Condition) (rows, error) {
	f := &filteredRows{rows: all, where: where}
	for _, c := range where {
		column, err := all.Column(c.Column)
		if err != nil {
			return nil, err
		}
		f.columns = append(f.columns, column)
	}
	return f, nil
}

// Each calls f for the rows that satisfy all conditions, of which there must be one.
func (f *filteredRows) Each(do func() error) error {
	some := false
	err := f.rows.Each(func() error {
		for i, c := range f.where {
			if !c.holds(f.Text(f.columns[i])) {
				return nil
			}
		}
		some = true
		return do()
	})
	if err == nil && !some {
		return f.ErrorAt(0, f.where[0].Column, "no row satisfies %s%s%s", f.where[0].Column, f.where[0].Operator,
			strings.Join(f.where[0].Values, "|"))
	}
	return err
}
