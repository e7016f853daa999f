package recorded

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
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
	var texts []string
	for _, c := range where {
		texts = append(texts, c.Column+c.Operator+strings.Join(c.Values, "|"))
		column, err := r.Column(c.Column)
		if err != nil {
			return err
		}
		columns = append(columns, column)
	}
	if len(where) == 0 {
		return nil
	}
	r.Select(func() bool {
		for i, c := range where {
			if !c.holds(r.Text(columns[i])) {
				return false
			}
		}
		return true
	}, table.Problemf("", "no row satisfies %s", strings.Join(texts, " and ")))
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

// availabilityNames are usual names of a column that says whether an alternative was on offer.
func availabilityNames() []string {
	return []string{"available", "availability", "avail", "av", "AV"}
}

// isRespondentName reports whether a column has a usual name of respondents, with or without id at its end.
func isRespondentName(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	return slices.Contains([]string{
		respondentColumn, "person", "subject", "participant", "panelist", "individual",
		"user", "worker", "voter", "judge", "customer", "household", "consumer",
	}, strings.TrimSuffix(plain, "id"))
}

// hints look at columns that are not used, but have the name of one that should be: respondents, and a
// column whose values are added up.
type hints struct {
	rows        *table.Reader
	respondents int // column, −1 for none
	names       levels
	added       int // column, −1 for none
	value       func(text string) (x int, ok bool)
	total       int
}

// newHints recognises the columns that no flag uses. Columns that a flag names have no name here. usual
// are the names of the column to add up.
func newHints(r *table.Reader, used []string, respondent, added string, usual []string, value func(string) (int, bool)) *hints {
	find := func(is func(name string) bool) int {
		return slices.IndexFunc(r.Header(), func(name string) bool { return !slices.Contains(used, name) && is(name) })
	}
	h := &hints{rows: r, respondents: -1, names: newLevels(), added: -1, value: value}
	if respondent == "" {
		if h.respondents = find(isRespondentName); h.respondents < 0 {
			h.respondents = find(func(name string) bool { return strings.EqualFold(name, "id") })
		}
	}
	if added == "" {
		h.added = find(func(name string) bool { return slices.Contains(usual, strings.ToLower(name)) })
	}
	return h
}

// maxCounted is the largest number of respondents that a hint counts.
const maxCounted = 1 << 16

// addRow looks at the current row.
func (h *hints) addRow() {
	if h.respondents >= 0 && len(h.names.names) < maxCounted {
		h.names.add(h.rows.Text(h.respondents))
	}
	if h.added < 0 {
		return
	}
	x, ok := h.value(h.rows.Text(h.added))
	if h.total += x; !ok {
		h.added = -1
	}
}

// list returns the hint about the sum in a format with the name of the column, the sum, the tasks and the name quoted for a
// shell, if the sum is larger than least. It then returns the hint about respondents, if there are fewer than tasks.
func (h *hints) list(format string, least, tasks int, what string) (list []string) {
	if h.added >= 0 && h.total > least {
		column := h.rows.Header()[h.added]
		list = append(list, fmt.Sprintf(format, column, h.total, tasks, table.Quoted(column)))
	}
	if people := len(h.names.names); h.respondents >= 0 && people >= 2 && people < min(tasks, maxCounted) {
		list = append(list, fmt.Sprintf("column %[1]q has %[2]d values in %[3]d %[4]s and is not used; if these are respondents, "+
			"the standard errors are too small: add --respondent %[5]s", h.rows.Header()[h.respondents], people, tasks,
			what, table.Quoted(h.rows.Header()[h.respondents])))
	}
	return list
}

// newChoiceHints looks at columns of choices.
func newChoiceHints(r *table.Reader, form LongForm) *hints {
	used, _ := form.spreadable(r.Header())
	used = append(used, form.Task, form.outcome(), form.Alternative, form.Weight, form.Worst)
	return newHints(r, used, form.Respondent, form.Available, availabilityNames(), func(text string) (int, bool) {
		offered, known := truthOf(text)
		return picked(!offered), known
	})
}

// manyTexts is the number of different texts from which on a column may not be an attribute.
const manyTexts = 10

// listChoices returns the hints for this many tasks.
func (h *hints) listChoices(tasks int, coding *Coding) []string {
	list := h.list("column %[1]q is 0 in %[2]d rows, which are used like the others; if these alternatives were not on "+
		"offer, add --available %[4]s", 0, tasks, "tasks")
	for i := range coding.features {
		f := &coding.features[i]
		if format, are := catalogue.FormatOf(f.levels.names, false, false); f.text && !f.forced && are && format.String() != "" {
			list = append(list,
				fmt.Sprintf("column %q is read as %d levels, because its values have units, such as %q; for one "+
					"coefficient, add --numbers %s", f.name, len(f.levels.names), f.levels.names[0], table.Quoted(f.name)))
		} else if n := len(f.levels.names); f.text && n >= manyTexts && 2*n > tasks {
			list = append(list, fmt.Sprintf("column %q has %d different texts in %d tasks; is it an attribute?", f.name, n, tasks))
		}
	}
	return list
}

// newVoteHints looks at columns of votes.
func newVoteHints(r *table.Reader, form ItemForm) *hints {
	used := slices.Concat([]string{form.Left, form.Right, form.Winner, form.Loser, form.Best, form.Worst}, form.Wins, form.Order,
		form.Ranks, form.Shown)
	usual := []string{"count", "counts", "n", "votes", "freq", "frequency", "times"}
	return newHints(r, used, form.Respondent, form.Count, usual, func(text string) (int, bool) {
		x, ok := table.ParseNumber(text)
		return int(x), ok && x >= 1 && x == float64(int(x))
	})
}
