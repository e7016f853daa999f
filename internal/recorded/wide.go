package recorded

import (
	"errors"
	"fmt"
	"math"
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
	places := map[string]int{}
	for i, name := range slices.Backward(header) {
		places[name] = i
	}
	for _, form := range spreads() {
		at, some, none := make([]int, len(alternatives)), 0, ""
		for i, alternative := range alternatives {
			name := form.column(attribute, alternative)
			place, has := places[name]
			if at[i] = place; has {
				some++
				continue
			}
			if at[i] = -1; none == "" {
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
	choice       int   // the column of the file that names the alternative picked, −1 if there is none
	order        []int // the columns that name the alternative in each place instead
	worst        int   // the column that names the worst alternative, −1 if there is none
	outside      bool  // the pick may be none
	lowest       int   // the number of the first alternative: 1, or 0

	fromOne, fromZero bool // what rows say of that number
	unclear           int  // a column with numbers that do not, −1 if there is none

	fields      []string // of the current row of the file
	line        int
	alternative int
	ranks       []int // of the alternatives
	worstPick   int
	tasks       int
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
	wideWorst
	wideComputed
)

// widen returns the rows of a wide file in long form and its alternatives, and the rows as they are without alternatives if the
// file is not wide: a file is wide if the form names alternatives, or if a column of the model is not in the file, but spread
// over several. If no alternative was chosen, as in a scenario, hasChoice is false.
func widen(file *table.Reader, form LongForm, hasChoice bool) (*table.Reader, []string, error) {
	w := &wideRows{file: file, choice: -1, worst: -1, outside: form.Outside, lowest: 1, unclear: -1, alternatives: form.Alternatives}
	spread, sure := form.spreadable(file.Header())
	spread = slices.Clip(spread[:sure])
	if form.Rank != "" && len(form.Order) == 0 && len(form.Alternatives) == 0 && hasChoice {
		spread = append(spread, form.Rank)
	}
	for _, name := range spread {
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
	if hasChoice {
		if err := w.findOutcome(form); err != nil {
			return nil, nil, err
		}
	}
	for i, name := range w.header[:wideComputed] {
		if slices.Contains(w.header[wideComputed:], name) || i == wideChosen && w.choice < 0 || i == wideWorst && w.worst < 0 {
			w.header[i] = "" // nothing is computed
		}
	}
	return table.NewRows(table.Derivation{
		File: file.Name(), Header: w.header, Each: w.each, Place: w.place,
		NoColumn: func(name string) error { return file.ProblemAt(0, name, table.NoColumn(file.Header())) },
	}), w.alternatives, nil
}

// findOutcome finds the columns that name the alternatives picked.
func (w *wideRows) findOutcome(form LongForm) (err error) {
	switch spread := w.header[wideComputed:]; {
	case len(form.Order) == 1 && !hasColumn(w.file, form.Order[0]):
		places := alternativesOf(w.file.Header(), form.Order[0])
		if w.order, _, _ = columnsOf(w.file.Header(), form.Order[0], places); len(w.order) == 0 {
			_, err = w.file.Column(form.Order[0])
			return err
		}
		w.choice = w.order[0]
	case len(form.Order) > 0:
		if w.order, err = optionalColumns(w.file, form.Order...); err != nil {
			return err
		}
		w.choice = w.order[0]
	case !slices.Contains(spread, form.outcome()):
		if w.choice, err = choiceColumn(w.file, form); err != nil {
			return err
		}
		w.order = []int{w.choice}
	}
	if form.Worst != "" && !slices.Contains(w.header[wideComputed:], form.Worst) {
		w.worst, err = w.file.Column(form.Worst)
	}
	return err
}

// choiceColumn returns the column that names the alternative picked: the one of the form, or else one called choice.
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
	w.header = []string{form.Task, form.Alternative, form.outcome(), form.Worst}
	w.columns = make([]wideColumn, wideComputed)
	columns, _ := form.spreadable(w.file.Header())
	for _, name := range slices.Concat(columns, []string{form.outcome(), form.Worst}, availabilityNames()) {
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

// each calls yield for every alternative of every row of the file. Rows are held back until one tells whether
// alternatives are numbered from 0 or from 1; rows that are not selected tell that, too.
func (w *wideRows) each(yield func(row []string, line int) error) error {
	const maxHeld = 10_000
	type heldRow struct {
		fields []string
		line   int
	}
	var held []heldRow
	release := func() error {
		if err := w.settleNumbers(); err != nil {
			return err
		}
		for _, row := range held {
			if err := w.yieldRow(row.fields, row.line, yield); err != nil {
				return err
			}
		}
		held = nil
		return nil
	}
	w.file.Watch(w.watchNumbers)
	err := w.file.Each(func() error {
		if !w.fromOne && !w.outside && len(w.order) > 0 && len(held) < maxHeld {
			held = append(held, heldRow{slices.Clone(w.file.Row()), w.file.Line()})
			return nil
		}
		if held != nil {
			if err := release(); err != nil {
				return err
			}
		}
		return w.yieldRow(w.file.Row(), w.file.Line(), yield)
	})
	if err != nil {
		return err
	}
	return release()
}

// watchNumbers looks at how the current row of the file numbers alternatives.
func (w *wideRows) watchNumbers() {
	for _, column := range w.order {
		whole := w.file.Text(column)
		text := strings.TrimPrefix(whole, w.file.Header()[column])
		x, isNumber := table.ParseNumber(text)
		switch {
		case table.IsMissing(text):
		case slices.Contains(w.alternatives, whole) || slices.Contains(w.alternatives, text),
			!isNumber || x != math.Floor(x) || x < 0 || x >= float64(len(w.alternatives)):
			w.fromOne = true
		case x == 0:
			w.fromZero = true
		default:
			w.unclear = column
		}
	}
}

// settleNumbers decides that alternatives are numbered from 1 if a number is too large otherwise, or one has a name, and from
// 0 if one has the number 0.
func (w *wideRows) settleNumbers() error {
	switch {
	case w.outside || w.fromOne:
	case w.fromZero:
		w.lowest = 0
	case w.unclear >= 0:
		return w.file.ErrorAt(0, w.file.Header()[w.unclear],
			"no row tells whether alternatives are numbered from 0 or from 1; write their names instead: %s", strings.Join(w.alternatives, ", "))
	}
	return nil
}

// yieldRow calls yield for every alternative of a row of the file.
func (w *wideRows) yieldRow(fields []string, line int, yield func(row []string, line int) error) error {
	w.fields, w.line = fields, line
	w.tasks++
	if err := w.findPicks(); err != nil {
		return err
	}
	row := make([]string, len(w.header))
	for alternative, name := range w.alternatives {
		w.alternative = alternative
		row[wideTask], row[wideAlternative] = strconv.Itoa(w.tasks), name
		row[wideChosen], row[wideWorst] = strconv.Itoa(w.ranks[alternative]), strconv.Itoa(picked(alternative == w.worstPick))
		if len(w.order) > 1 && w.ranks[alternative] == 0 {
			row[wideChosen] = ""
		}
		for i, column := range w.columns[wideComputed:] {
			text := column.absent
			if at := column.at[alternative]; at >= 0 {
				text = strings.TrimSpace(fields[at])
			}
			row[wideComputed+i] = text
		}
		if err := yield(row, line); err != nil {
			return err
		}
	}
	return nil
}

// findPicks finds the ranks of the alternatives of the current row: that of the one picked is 1. Empty places of an
// order are left out.
func (w *wideRows) findPicks() error {
	w.ranks, w.worstPick = make([]int, len(w.alternatives)), -1
	rank := 0
	for _, column := range w.order {
		if len(w.order) > 1 && table.IsMissing(strings.TrimSpace(w.fields[column])) {
			continue
		}
		at, err := w.findPick(column)
		if err != nil {
			return err
		}
		if rank++; at >= 0 && w.ranks[at] > 0 {
			return w.file.ErrorAt(w.line, w.file.Header()[column], "%q has two places", w.alternatives[at])
		} else if at >= 0 {
			w.ranks[at] = rank
		}
	}
	if w.worst >= 0 && !table.IsMissing(strings.TrimSpace(w.fields[w.worst])) {
		var err error
		w.worstPick, err = w.findPick(w.worst)
		return err
	}
	return nil
}

// findPick returns the alternative that a column of the current row names, −1 for none: by its name, by its number, or
// by either behind the name of the column, as in choice2. A pick of none is empty, 0 or none.
func (w *wideRows) findPick(column int) (int, error) {
	text, header := strings.TrimSpace(w.fields[column]), w.file.Header()[column]
	if w.outside && !slices.Contains(w.alternatives, text) &&
		(table.IsMissing(text) || text == "0" || strings.EqualFold(text, NoneName)) {
		return -1, nil
	}
	if table.IsMissing(text) {
		return 0, w.file.ErrorAt(w.line, header, "%s", table.NoValue(text))
	}
	for _, name := range []string{text, strings.TrimPrefix(text, header)} {
		if at := slices.Index(w.alternatives, name); at >= 0 {
			return at, nil
		}
		if x, ok := table.ParseNumber(name); ok && x == float64(int(x)) && int(x) >= w.lowest && int(x) < w.lowest+len(w.alternatives) {
			return int(x) - w.lowest, nil
		}
	}
	return 0, w.file.ErrorAt(w.line, header, "%q is neither an alternative nor its number; the alternatives are %s", text,
		strings.Join(w.alternatives, ", "))
}

// place returns the column of the file that has a field.
func (w *wideRows) place(column int) (file string, line int, name string) {
	at := -1
	switch {
	case column == wideChosen:
		at = w.choice
	case column == wideWorst:
		at = w.worst
	case column >= wideComputed:
		at = w.columns[column].at[w.alternative]
	}
	if at >= 0 {
		return w.file.Name(), w.line, w.file.Header()[at]
	}
	return w.file.Name(), w.line, w.header[column]
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
	if is && problem.Column == form.Task {
		problem.Text += "; for a file with one row for each task, name the alternatives: --alternatives a,b"
	}
	return err
}
