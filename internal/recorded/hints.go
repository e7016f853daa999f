package recorded

import (
	"errors"
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

// respondentNames are usual names of a column of respondents, without "id" at their end.
func respondentNames() []string {
	return []string{"", "respondent", "person", "subject", "participant", "panelist", "individual", "user", "worker", "voter", "customer", "household", "consumer"}
}

// isRespondentName reports whether a column has a usual name of respondents.
func isRespondentName(name string) bool {
	plain := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
	return plain != "" && slices.Contains(respondentNames(), strings.TrimSuffix(plain, "id"))
}

// maxCounted is the largest number of respondents that hints count.
const maxCounted = 1 << 16

// hints look at columns that are not used, but have the name of one that should be.
type hints struct {
	rows        rows
	available   int // columns, −1 for none
	respondent  int
	unavailable int // rows
	respondents levels
}

func newHints(r rows, form LongForm) *hints {
	h := &hints{rows: r, available: -1, respondent: -1, respondents: newLevels()}
	used := append(form.spreadable(), form.Task, form.outcome(), form.Alternative, form.Weight)
	for i, name := range r.Header() {
		if slices.Contains(used, name) {
			continue
		}
		if form.Available == "" && slices.Contains(availabilityNames(), strings.ToLower(name)) {
			h.available = i
		}
		if form.Respondent == "" && h.respondent < 0 && isRespondentName(name) {
			h.respondent = i
		}
	}
	return h
}

// addRow looks at the current row.
func (h *hints) addRow() {
	if h.available >= 0 {
		switch offered, err := truth(h.rows, h.available, ""); {
		case err != nil:
			h.available = -1
		case !offered:
			h.unavailable++
		}
	}
	if h.respondent >= 0 && len(h.respondents.names) < maxCounted {
		h.respondents.add(h.rows.Text(h.respondent))
	}
}

// list returns the hints for this many tasks.
func (h *hints) list(tasks int, coding *Coding) (list []string) {
	if h.available >= 0 && h.unavailable > 0 {
		name := h.rows.Header()[h.available]
		list = append(list, fmt.Sprintf("column %q is 0 in %d rows, which are used like the others; if these alternatives were not on offer, add --available %s", name, h.unavailable, name))
	}
	if people := len(h.respondents.names); h.respondent >= 0 && people > 1 && people < min(tasks, maxCounted) {
		name := h.rows.Header()[h.respondent]
		list = append(list, fmt.Sprintf("column %q has %d values in %d tasks and is not used; if these are respondents, the standard errors are too small: add --respondent %s", name, people, tasks, name))
	}
	for i := range coding.features {
		f := &coding.features[i]
		if format, are := catalogue.FormatOf(f.levels.names, false); f.text && !f.forced && are && format.String() != "" {
			list = append(list, fmt.Sprintf("column %q is read as %d levels, because its values have units, such as %q; for one coefficient, add --numbers %s", f.name, len(f.levels.names), f.levels.names[0], f.name))
		}
	}
	return list
}

// suggestWide adds to the error of a missing column how to read a file with one row for each task, if the
// features look like columns of one.
func suggestWide(err error, r rows, form LongForm) error {
	problem, is := errors.AsType[*table.Error](err)
	for _, column := range form.Features {
		for _, s := range spreads() {
			if at := strings.Index(column, s.separator); is && !s.first && s.separator != "" && at > 0 {
				if stem := column[:at]; len(alternativesOf(r.Header(), stem)) >= 2 {
					problem.Problem += fmt.Sprintf("; for a file with one row for each task, name the attribute, --features %s, not its columns", stem)
					return problem
				}
			}
		}
	}
	return err
}
