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

// isRespondentName reports whether a column has a usual name of respondents, with or without id at its end.
func isRespondentName(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	return slices.Contains([]string{
		"respondent", "person", "subject", "participant", "panelist", "individual",
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

// list returns the hint about the sum in a format with the name of the column twice, and the sum between, if
// the sum is larger than least. It then returns the hint about respondents, if there are fewer than tasks.
func (h *hints) list(format string, least, tasks int, what string) (list []string) {
	if h.added >= 0 && h.total > least {
		list = append(list, fmt.Sprintf(format, h.rows.Header()[h.added], h.total, tasks))
	}
	if people := len(h.names.names); h.respondents >= 0 && people >= 2 && people < min(tasks, maxCounted) {
		list = append(list, fmt.Sprintf("column %[1]q has %[2]d values in %[3]d %[4]s and is not used; if these are respondents, "+
			"the standard errors are too small: add --respondent %[1]s", h.rows.Header()[h.respondents], people, tasks, what))
	}
	return list
}

// newChoiceHints looks at columns of choices.
func newChoiceHints(r *table.Reader, form LongForm) *hints {
	used := append(form.spreadable(), form.Task, form.outcome(), form.Alternative, form.Weight, form.Worst)
	return newHints(r, used, form.Respondent, form.Available, availabilityNames(), func(text string) (int, bool) {
		offered, known := truthOf(text)
		return picked(!offered), known
	})
}

// listChoices returns the hints for this many tasks.
func (h *hints) listChoices(tasks int, coding *Coding) []string {
	list := h.list("column %[1]q is 0 in %[2]d rows, which are used like the others; if these alternatives were not on "+
		"offer, add --available %[1]s", 0, tasks, "tasks")
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

// newVoteHints looks at columns of votes.
func newVoteHints(r *table.Reader, columns Pairs) *hints {
	used := []string{columns.Left, columns.Right, columns.Winner, columns.Loser}
	usual := []string{"count", "counts", "n", "votes", "freq", "frequency", "times"}
	return newHints(r, used, columns.Respondent, columns.Count, usual, func(text string) (int, bool) {
		x, ok := table.ParseNumber(text)
		return int(x), ok && x >= 1 && x == float64(int(x))
	})
}

// listVotes returns the hints for this many rows.
func (h *hints) listVotes(rows int) []string {
	return h.list("column %[1]q adds up to %[2]d, but each of the %[3]d rows counts as one vote; if it is the number of "+
		"votes, add --count %[1]s", rows, rows, "votes")
}
