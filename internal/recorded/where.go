package recorded

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"bestpick/internal/catalogue/read"
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

// selectRows makes a reader skip the rows that do not satisfy all conditions.
func selectRows(r *table.Reader, where []Condition) error {
	var columns []int
	for _, c := range where {
		column, err := r.Column(c.Column)
		if err != nil {
			return err
		}
		columns = append(columns, column)
	}
	if len(where) == 0 {
		return nil
	}
	first := where[0]
	r.Select(func() bool {
		for i, c := range where {
			if !c.holds(r.Text(columns[i])) {
				return false
			}
		}
		return true
	}, first.Column, table.Problemf("", "no row satisfies %s%s%s", first.Column, first.Operator, strings.Join(first.Values, "|")))
	return nil
}

// openRows opens a file of any format that catalogues have, without the rows that a condition excludes.
func openRows(source io.Reader, file string, where []Condition) (*table.Reader, error) {
	r, err := read.Rows(source, file)
	if err != nil {
		return nil, err
	}
	return r, selectRows(r, where)
}

// hasColumn reports whether there is exactly one column of a name.
func hasColumn(r *table.Reader, name string) bool {
	_, err := r.Column(name)
	return err == nil
}

// optionalColumns returns the places of columns, −1 for an empty name.
func optionalColumns(r *table.Reader, names ...string) ([]int, error) {
	places := make([]int, len(names))
	for i, name := range names {
		places[i] = -1
		if name == "" {
			continue
		}
		var err error
		if places[i], err = r.Column(name); err != nil {
			return nil, err
		}
	}
	return places, nil
}
