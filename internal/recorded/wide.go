package recorded

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"bestpick/internal/table"
)

// A spread says how a wide file spreads an attribute over columns, one for each alternative: price_A
// and price_B, price.A and price.B, or A_price and B_price.
type spread struct {
	separator string
	first     bool // the alternative comes first
}

// column returns the name of the column of an attribute and an alternative.
func (s spread) column(attribute, alternative string) string {
	if s.first {
		return alternative + s.separator + attribute
	}
	return attribute + s.separator + alternative
}

// alternative returns the alternative of a column of an attribute, or "".
func (s spread) alternative(column, attribute string) string {
	var alternative string
	var found bool
	if s.first {
		alternative, found = strings.CutSuffix(column, s.separator+attribute)
	} else {
		alternative, found = strings.CutPrefix(column, attribute+s.separator)
	}
	plain := func(c rune) bool { return unicode.IsDigit(c) || unicode.IsUpper(c) && len(alternative) == 1 }
	if !found || s.separator == "" && strings.ContainsFunc(alternative, func(c rune) bool { return !plain(c) }) {
		return ""
	}
	return alternative
}

// spreads returns all forms, the more usual first.
func spreads() (all []spread) {
	for _, separator := range []string{"_", ".", ":", "-", " ", ""} {
		all = append(all, spread{separator, false}, spread{separator, true})
	}
	return all
}

// alternativesOf returns the alternatives that have a column of an attribute, in the order of the header:
// of the form with most of them, and at least two.
func alternativesOf(header []string, attribute string) (alternatives []string) {
	for _, form := range spreads() {
		var found []string
		for _, column := range header {
			if alternative := form.alternative(column, attribute); alternative != "" {
				found = append(found, alternative)
			}
		}
		if len(found) >= 2 && len(found) > len(alternatives) {
			alternatives = found
		}
	}
	return alternatives
}

// columnsOf returns the column of an attribute for each alternative, −1 if there is none, in the form with
// most of them, and the name of the first absent column.
func columnsOf(header []string, attribute string, alternatives []string) (columns []int, found int, absent string) {
	for _, form := range spreads() {
		at, some, none := make([]int, len(alternatives)), 0, ""
		for i, alternative := range alternatives {
			name := form.column(attribute, alternative)
			if at[i] = slices.Index(header, name); at[i] >= 0 {
				some++
			} else if none == "" {
				none = name
			}
		}
		if some > found {
			columns, found, absent = at, some, none
		}
	}
	return columns, found, absent
}

// wideRows turn the rows of a wide file, which has one row for each task, into long form: one row for each
// alternative. The first columns are the task, the alternative and whether it was chosen.
type wideRows struct {
	file         *table.Reader
	header       []string
	columns      []wideColumn
	alternatives []string
	choice       int  // the column of the file that names the alternative picked, −1 if there is none
	outside      bool // the pick may be none

	alternative int // of the current row
	picked      int
}

// A wideColumn is a column of wideRows: its columns in the file, one for each alternative, −1 if there is
// none and the value is absent.
type wideColumn struct {
	at     []int
	absent string
}

// The computed columns of wideRows.
const (
	wideTask = iota
	wideAlternative
	wideChosen
	wideComputed
)

// widen returns the rows of a wide file in long form and its alternatives, and the rows as they are without
// alternatives if the file is not wide: a file is wide if the form names alternatives, or if a column of the
// model is not in the file, but spread over several. If no alternative was chosen, as in a scenario,
// hasChoice is false.
func widen(file *table.Reader, form LongForm, hasChoice bool) (*table.Reader, []string, error) {
	w := &wideRows{file: file, choice: -1, outside: form.Outside, alternatives: form.Alternatives}
	for _, name := range form.spreadable() {
		if len(form.Alternatives) > 0 || hasColumn(file, name) {
			continue
		}
		for _, alternative := range alternativesOf(file.Header(), name) {
			if !slices.Contains(w.alternatives, alternative) {
				w.alternatives = append(w.alternatives, alternative)
			}
		}
	}
	if len(w.alternatives) == 0 {
		return file, nil, nil
	}
	if err := w.addColumns(form); err != nil {
		return nil, nil, err
	}
	if hasChoice && !slices.Contains(w.header[wideComputed:], form.outcome()) {
		var err error
		if w.choice, err = choiceColumn(file, form); err != nil {
			return nil, nil, err
		}
	}
	for i, name := range w.header[:wideComputed] {
		if slices.Contains(w.header[wideComputed:], name) || i == wideChosen && w.choice < 0 {
			w.header[i] = "" // nothing is computed
		}
	}
	return table.NewRows(table.Derivation{
		File: file.Name(), Header: w.header, Each: w.each, Place: w.place,
		NoColumn: func(name string) error { return file.ProblemAt(0, name, table.NoColumn(file.Header())) },
	}), w.alternatives, nil
}

// choiceColumn returns the column that names the alternative picked: the one of the form, or else one
// called choice.
func choiceColumn(file *table.Reader, form LongForm) (int, error) {
	if form.Rank != "" {
		return file.Column(form.Rank)
	}
	column, err := file.Column(form.Chosen)
	if err == nil || form.Chosen != "chosen" {
		return column, err
	}
	for i, name := range file.Header() {
		if strings.EqualFold(name, "choice") {
			return i, nil
		}
	}
	return 0, err
}

// addColumns adds the computed columns, the spread columns of the form and the other columns of the file.
func (w *wideRows) addColumns(form LongForm) error {
	w.header = []string{form.Task, form.Alternative, form.Chosen}
	w.columns = make([]wideColumn, wideComputed)
	for _, name := range slices.Concat(form.spreadable(), []string{form.outcome()}, availabilityNames()) {
		if slices.Contains(w.header[wideComputed:], name) || name == "" || hasColumn(w.file, name) {
			continue
		}
		columns, found, absent := columnsOf(w.file.Header(), name, w.alternatives)
		if found == 0 {
			continue
		}
		if absent != "" && len(form.Alternatives) == 0 {
			return w.file.ErrorAt(0, absent,
				"there is no such column, but there are others of %q; to count it as 0, name all alternatives: --alternatives %s", name,
				strings.Join(w.alternatives, ","))
		}
		c := wideColumn{at: columns, absent: "0"}
		if name == form.Available {
			c.absent = "1"
		}
		w.header, w.columns = append(w.header, name), append(w.columns, c)
	}
	for i, name := range w.file.Header() {
		if !slices.Contains(w.header, name) {
			w.header = append(w.header, name)
			w.columns = append(w.columns, wideColumn{at: slices.Repeat([]int{i}, len(w.alternatives))})
		}
	}
	return nil
}

// each calls yield for every alternative of every row of the file.
func (w *wideRows) each(yield func(row []string, line int) error) error {
	row := make([]string, len(w.header))
	return w.file.Each(func() error {
		if w.choice >= 0 {
			if err := w.findPick(); err != nil {
				return err
			}
		}
		for alternative, name := range w.alternatives {
			w.alternative = alternative
			row[wideTask], row[wideAlternative] = strconv.Itoa(w.file.Line()), name
			row[wideChosen] = strconv.Itoa(picked(alternative == w.picked))
			for i, column := range w.columns[wideComputed:] {
				text := column.absent
				if at := column.at[alternative]; at >= 0 {
					text = w.file.Text(at)
				}
				row[wideComputed+i] = text
			}
			if err := yield(row, w.file.Line()); err != nil {
				return err
			}
		}
		return nil
	})
}

// findPick finds the alternative picked in the current row of the file, by its name, by its number, or by
// either behind the name of the column, as in choice2. A pick of none is empty, 0 or none.
func (w *wideRows) findPick() error {
	text := w.file.Text(w.choice)
	if w.outside && !slices.Contains(w.alternatives, text) &&
		(table.IsMissing(text) || text == "0" || strings.EqualFold(text, NoneName)) {
		w.picked = -1
		return nil
	}
	if table.IsMissing(text) {
		return w.file.Errorf(w.choice, "%s", table.NoValue(text))
	}
	for _, name := range []string{text, strings.TrimPrefix(text, w.file.Header()[w.choice])} {
		if w.picked = slices.Index(w.alternatives, name); w.picked >= 0 {
			return nil
		}
		if x, ok := table.ParseNumber(name); ok && x >= 1 && x <= float64(len(w.alternatives)) && x == float64(int(x)) {
			w.picked = int(x) - 1
			return nil
		}
	}
	return w.file.Errorf(w.choice, "%q is neither an alternative nor its number; the alternatives are %s", text,
		strings.Join(w.alternatives, ", "))
}

// place returns the column of the file that has a field.
func (w *wideRows) place(column int) (file string, line int, name string) {
	if column == wideChosen {
		return w.file.Place(w.choice)
	}
	if column > wideChosen && w.columns[column].at[w.alternative] >= 0 {
		return w.file.Place(w.columns[column].at[w.alternative])
	}
	return w.file.Name(), w.file.Line(), w.header[column]
}

// suggestWide adds to the error of a missing column how to read a file with one row for each task, if the
// features look like columns of one.
func suggestWide(err error, r *table.Reader, form LongForm) error {
	problem, is := errors.AsType[*table.Error](err)
	for _, column := range form.Features {
		for _, s := range spreads() {
			if at := strings.Index(column, s.separator); is && !s.first && s.separator != "" && at > 0 {
				if stem := column[:at]; len(alternativesOf(r.Header(), stem)) >= 2 {
					problem.Text += fmt.Sprintf("; for a file with one row for each task, name the attribute, --features %s, "+
						"not its columns", stem)
					return problem
				}
			}
		}
	}
	return err
}
