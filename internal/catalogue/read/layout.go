package read

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A Layout is where the table is in a workbook. Defaults to the sheet with the most values, and there to the first row
// that has at least two values and no number, and nearly as many values as the widest row.
type Layout struct {
	Sheets  []string // the fullest first, unless one is chosen
	Sheet   string
	Heading int               // the row with the names of columns; 0 for none
	Rows    []table.SurveyRow // the first ones, to choose the heading from

	survey table.Survey
}

// Layout returns the layout of a workbook, nil if the file is none.
func (u Upload) Layout(options catalogue.Options) (*Layout, error) {
	if !startsWith(u.Contents, table.ZIPMagic) {
		return nil, nil //nolint:nilnil // as documented
	}
	book, err := openBook(u.Contents, u.Size, u.Limits)
	if err != nil {
		return nil, table.InFile(u.Name, err)
	}
	layout, err := layoutOf(book, options)
	if err == nil && options.Sheet != "" {
		layout.Sheets = book.Sheets()
	}
	return layout, err
}

func layoutOf(book *table.Book, options catalogue.Options) (*Layout, error) {
	surveys, err := book.Surveys(options.Sheet)
	if err != nil {
		return nil, err
	}
	l := &Layout{Sheet: surveys[0].Name, survey: surveys[0], Rows: surveys[0].First}
	for _, s := range surveys {
		l.Sheets = append(l.Sheets, s.Name)
	}
	isList := !slices.ContainsFunc(l.Rows, func(r table.SurveyRow) bool { return !r.Alone })
	switch {
	case options.Heading == 0 || isList:
		l.Heading = headingOf(l.Rows)
	case options.Heading > 0:
		l.Heading = options.Heading
		if !slices.ContainsFunc(l.Rows, func(r table.SurveyRow) bool { return r.Number == l.Heading }) {
			return nil, errors.New("the row of headings must be one of the first rows with values")
		}
	}
	return l, nil
}

// headingOf returns the row that has the names of columns.
func headingOf(rows []table.SurveyRow) int {
	values := func(r table.SurveyRow) int { return len(r.Cells) - blanks(r.Cells[1:]) } // row names may have no heading
	widest := 0
	for _, r := range rows {
		if !r.Alone {
			widest = max(widest, values(r))
		}
	}
	for _, c := range []struct {
		share float64
		texts bool
	}{{0.8, true}, {0.6, true}, {0.6, false}} {
		for _, r := range rows {
			enough := !r.Alone && float64(values(r)) >= c.share*float64(widest)
			if enough && !(c.texts && slices.ContainsFunc(r.Cells, isNumber)) {
				return r.Number
			}
		}
	}
	if len(rows) > 0 {
		return rows[0].Number // a list of one column
	}
	return 0
}

// isNumber reports whether a cell has a number that is no year, as headings may be.
func isNumber(cell string) bool {
	year, err := strconv.Atoi(cell)
	isYear := err == nil && year >= 1900 && year <= 2100
	return cell != "" && !isYear && table.LooksNumeric(cell)
}

func blanks(cells []string) (count int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) == "" {
			count++
		}
	}
	return count
}

// header returns the names of columns, and the last line of them. Below merged cells there is a second line of names.
func (l *Layout) header() (names []string, line int) {
	at := slices.IndexFunc(l.Rows, func(r table.SurveyRow) bool { return r.Number == l.Heading })
	if at < 0 {
		for _, r := range l.Rows {
			names = append(names, make([]string, max(0, len(r.Cells)-len(names)))...)
		}
		return names, 0
	}
	for _, text := range l.Rows[at].Cells {
		names = append(names, strings.TrimSpace(text))
	}
	if !l.survey.Merged(l.Heading) || at+1 == len(l.Rows) || l.Rows[at+1].Number != l.Heading+1 {
		return names, l.Heading
	}
	below := l.Rows[at+1].Cells
	for len(names) < len(below) {
		names = append(names, "")
	}
	for i := range below {
		if text := strings.TrimSpace(below[i]); text != "" && text != names[i] {
			names[i] = strings.TrimSpace(names[i] + " " + text)
		}
	}
	return names, l.Heading + 1
}

// notes says what of the workbook is not read, unless the user chose it.
func (l *Layout) notes(options catalogue.Options) (notes []catalogue.Note) {
	note := func(code, format string, parts ...any) {
		notes = append(notes, catalogue.Note{Problem: table.Problemf(code, format, parts...)})
	}
	if len(l.Sheets) > 1 {
		note("sheets", "of %d sheets, %q is read, which has the most values (--sheet NAME reads another)", len(l.Sheets), l.Sheet)
	}
	if options.Heading == 0 && l.Heading > l.Rows[0].Number {
		first := make([]string, 0, len(l.Rows[0].Cells))
		for _, cell := range l.Rows[0].Cells {
			if !slices.Contains(first, cell) {
				first = append(first, cell)
			}
		}
		note("heading", "row %d has the headings; the rows above it, which begin with %s, are left out", l.Heading,
			table.Excerpt([]byte(strings.Join(first, " "))))
	}
	if l.survey.Hidden {
		note("hidden", "hidden rows and columns of the sheet are left out; show them in Excel to have them read")
	}
	if l.survey.Pictures {
		note("pictures", "the pictures in the sheet are not read; add them as files, or put their addresses into a column")
	}
	return notes
}
