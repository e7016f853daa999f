package recorded

import (
	"fmt"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// availabilityNames are usual names of a column that says whether an alternative was on offer.
func availabilityNames() []string {
	return []string{"available", "availability", "avail", "av", "AV"}
}

// countNames are usual names of a column of counts.
func countNames() []string {
	return []string{"count", "counts", "n", "votes", "freq", "frequency", "times"}
}

// isRespondentName reports whether a column has a usual name of respondents, with or without id at its end.
func isRespondentName(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	return slices.Contains([]string{
		"respondent", "person", "subject", "participant", "panelist", "individual",
		"user", "worker", "voter", "judge", "customer", "household", "consumer",
	}, strings.TrimSuffix(plain, "id"))
}

// unusedColumn returns the first column with a usual name that no flag names, −1 for none.
func unusedColumn(r *table.Reader, used []string, isUsual func(name string) bool) int {
	return slices.IndexFunc(r.Header(), func(name string) bool { return !slices.Contains(used, name) && isUsual(name) })
}

// unusedRespondents counts the respondents in a column that is not used.
type unusedRespondents struct {
	rows   *table.Reader
	column int // −1 for none
	names  levels
}

// maxCounted is the largest number of respondents that a hint counts.
const maxCounted = 1 << 16

func newUnusedRespondents(r *table.Reader, used []string) *unusedRespondents {
	column := unusedColumn(r, used, isRespondentName)
	if column < 0 {
		column = unusedColumn(r, used, func(name string) bool { return strings.EqualFold(name, "id") })
	}
	return &unusedRespondents{rows: r, column: column, names: newLevels()}
}

func (u *unusedRespondents) addRow() {
	if u.column >= 0 && len(u.names.names) < maxCounted {
		u.names.add(u.rows.Text(u.column))
	}
}

// list returns the hint, if there are fewer respondents than tasks.
func (u *unusedRespondents) list(tasks int, what string) []string {
	people := len(u.names.names)
	if u.column < 0 || people < 2 || people >= min(tasks, maxCounted) {
		return nil
	}
	name := u.rows.Header()[u.column]
	return []string{fmt.Sprintf("column %q has %d values in %d %s and is not used; if these are respondents, the "+
		"standard errors are too small: add --respondent %s", name, people, tasks, what, name)}
}

// hints look at columns of choices that are not used, but have the name of one that should be.
type hints struct {
	rows        *table.Reader
	respondents *unusedRespondents
	available   int // column, −1 for none
	unavailable int // rows
}

func newHints(r *table.Reader, form LongForm) *hints {
	used := append(form.spreadable(), form.Task, form.outcome(), form.Alternative, form.Weight, form.Worst)
	h := &hints{rows: r, available: -1, respondents: newUnusedRespondents(r, used)}
	if form.Respondent != "" {
		h.respondents.column = -1
	}
	if form.Available == "" {
		h.available = unusedColumn(r, used, func(name string) bool {
			return slices.Contains(availabilityNames(), strings.ToLower(name))
		})
	}
	return h
}

// addRow looks at the current row.
func (h *hints) addRow() {
	h.respondents.addRow()
	if h.available < 0 {
		return
	}
	switch offered, err := truth(h.rows, h.available, ""); {
	case err != nil:
		h.available = -1
	case !offered:
		h.unavailable++
	}
}

// list returns the hints for this many tasks.
func (h *hints) list(tasks int, coding *Coding) (list []string) {
	if h.available >= 0 && h.unavailable > 0 {
		name := h.rows.Header()[h.available]
		list = append(list,
			fmt.Sprintf("column %q is 0 in %d rows, which are used like the others; if these alternatives were not on "+
				"offer, add --available %s", name, h.unavailable, name))
	}
	list = append(list, h.respondents.list(tasks, "tasks")...)
	for i := range coding.features {
		f := &coding.features[i]
		if format, are := catalogue.FormatOf(f.levels.names, false); f.text && !f.forced && are && format.String() != "" {
			list = append(list,
				fmt.Sprintf("column %q is read as %d levels, because its values have units, such as %q; for one "+
					"coefficient, add --numbers %s", f.name, len(f.levels.names), f.levels.names[0], f.name))
		}
	}
	return list
}

// voteHints look at columns of votes that are not used, but have the name of one that should be.
type voteHints struct {
	rows        *table.Reader
	respondents *unusedRespondents
	count       int // column, −1 for none
	total       int
}

func newVoteHints(r *table.Reader, columns Pairs) *voteHints {
	used := []string{columns.Left, columns.Right, columns.Winner, columns.Loser}
	h := &voteHints{rows: r, count: -1, respondents: newUnusedRespondents(r, used)}
	if columns.Respondent != "" {
		h.respondents.column = -1
	}
	if columns.Count == "" {
		h.count = unusedColumn(r, used, func(name string) bool { return slices.Contains(countNames(), strings.ToLower(name)) })
	}
	return h
}

// addRow looks at the current row.
func (h *voteHints) addRow() {
	h.respondents.addRow()
	if h.count < 0 {
		return
	}
	x, ok := table.ParseNumber(h.rows.Text(h.count))
	if !ok || x < 1 || x != float64(int(x)) {
		h.count = -1
		return
	}
	h.total += int(x)
}

// list returns the hints for this many rows.
func (h *voteHints) list(rows int) (list []string) {
	if h.count >= 0 && h.total > rows {
		name := h.rows.Header()[h.count]
		list = append(list,
			fmt.Sprintf("column %q adds up to %d, but each of the %d rows counts as one vote; if it is the number of "+
				"votes, add --count %s", name, h.total, rows, name))
	}
	return append(list, h.respondents.list(rows, "votes")...)
}
