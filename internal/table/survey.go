package table

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Survey is what a first pass over a sheet finds.
type Survey struct {
	Name     string
	Cells    int         // with values
	First    []SurveyRow // the first rows with values
	Pictures bool        // pictures or charts lie in the sheet, which are not read
	Unsaved  int         // formulas whose values the file lacks
	Hidden   bool        // rows or columns with values are hidden, and not read

	commas map[int]bool
	merged []span
}

// A SurveyRow is a row of a sheet with values.
type SurveyRow struct {
	Number int
	Cells  []string // merged cells have their value in each column
	Alone  bool     // it has one value
}

// surveyed is how many rows a survey keeps.
const surveyed = 25

// A span is a range of merged cells, with rows and columns from 1. It is empty if the file has it wrong.
type span struct{ top, left, bottom, right int }

// spanOf reads a range such as A1:C2.
func spanOf(ref string) (s span) {
	from, to, _ := strings.Cut(ref, ":")
	row := func(cell string) int {
		n, _ := strconv.Atoi(strings.TrimLeft(cell, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
		return n
	}
	s = span{row(from), columnOf(from), row(to), columnOf(to)}
	if s.top < 1 || s.left < 1 || s.bottom < s.top || s.right < s.left || s.bottom > maxSheetRows || s.right > maxSheetColumns {
		return span{}
	}
	return s
}

// Surveys returns the surveys of the sheets that are not hidden, the one with the most values first. A sheet that is
// named is the only one, even if it is hidden.
func (b *Book) Surveys(name string) ([]Survey, error) {
	if name != "" {
		survey, err := b.survey(name)
		return []Survey{survey}, err
	}
	var all []Survey
	for _, s := range b.sheets {
		if s.hidden {
			continue
		}
		survey, err := b.survey(s.name)
		if err != nil {
			return nil, err
		}
		all = append(all, survey)
	}
	if len(all) == 0 {
		return nil, errors.New("the workbook has no sheet")
	}
	slices.SortStableFunc(all, func(x, y Survey) int { return cmp.Compare(y.Cells, x.Cells) })
	return all, nil
}

func (b *Book) survey(name string) (Survey, error) {
	s := Survey{Name: name}
	rows, err := b.SheetRows(s)
	if err != nil {
		return Survey{}, err
	}
	defer rows.Close()
	count, size := 0, 0
	for rows.Next() {
		values := 0
		for _, cell := range rows.Cells() {
			size += len(cell) + 1
			if strings.TrimSpace(cell) != "" {
				values++
			}
		}
		s.Cells += values
		count++
		width := len(rows.Cells())
		if values > 0 && len(s.First) < surveyed {
			s.First = append(s.First, SurveyRow{rows.Number(), slices.Clone(rows.Cells()), values == 1})
		}
		if FirstProblem(b.limits.RowsProblem(int64(count-1)), b.limits.ColumnsProblem(width), b.limits.ValuesProblem(count, width),
			b.limits.BytesProblem(int64(size))).Exists() {
			return s, nil // reading the rows finds the problem, with its place
		}
	}
	s.commas, s.merged, s.Pictures, s.Unsaved, s.Hidden = rows.commas, rows.merged, rows.pictures, rows.unsaved, rows.omitted
	for i := range s.First {
		row, width := &s.First[i], 0
		for _, m := range s.merged {
			if m.top == row.Number && m.left <= len(row.Cells) && width <= maxSheetColumns { // overlapping ones are more
				width += m.right - m.left + 1
				row.Cells = spread(row.Cells, m, row.Cells[m.left-1])
			}
		}
	}
	return s, rows.Err()
}

// spread returns the cells of a row with a value in every column of a span.
func spread(cells []string, m span, value string) []string {
	if value == "" {
		return cells
	}
	for len(cells) < m.right {
		cells = append(cells, "")
	}
	for column := m.left; column <= m.right; column++ {
		cells[column-1] = value
	}
	return cells
}

// Merged reports whether cells of a row are merged with others beside them.
func (s Survey) Merged(row int) bool {
	return slices.ContainsFunc(s.merged, func(m span) bool { return m.top <= row && row <= m.bottom && m.right > m.left })
}

// Fill returns a function that completes the cells of one row after the other: cells that are merged with one above
// have its value.
func (s Survey) Fill() func(row int, cells []string) []string {
	down := slices.DeleteFunc(slices.Clone(s.merged), func(m span) bool { return m.bottom == m.top })
	slices.SortFunc(down, func(x, y span) int { return cmp.Compare(x.top, y.top) })
	type filling struct {
		span

		value string
	}
	columns, next := map[int]filling{}, 0 // a column has one at a time
	return func(row int, cells []string) []string {
		for ; next < len(down) && down[next].top <= row; next++ {
			if m := down[next]; m.top == row && m.left <= len(cells) {
				columns[m.left] = filling{m, cells[m.left-1]}
			}
		}
		for column, f := range columns {
			if f.bottom < row {
				delete(columns, column)
			} else if f.top < row {
				cells = spread(cells, span{left: column, right: column}, f.value)
			}
		}
		return cells
	}
}

// A numberStyle is how a cell shows a number, as far as it changes its meaning.
type numberStyle struct {
	date, percent  bool
	before, behind string // a currency
	decimals       int
}

// styleOf reads a format such as "€"#,##0.00.
func styleOf(code string) (s numberStyle) {
	if s.date = isDateFormat(code); s.date {
		return s
	}
	first, _, _ := strings.Cut(code, ";") // of positive numbers
	digits := strings.IndexAny(first, "0#?")
	if digits < 0 {
		return s
	}
	s.percent = strings.Contains(first, "%")
	currency, at := "", strings.IndexAny(first, "€$£¥₹")
	if start := strings.Index(first, "[$"); start >= 0 {
		inside, _, _ := strings.Cut(first[start+len("[$"):], "]")
		currency, _, _ = strings.Cut(inside, "-")
		at = start
	} else if at >= 0 {
		currency = string([]rune(first[at:])[0])
	}
	if _, fraction, has := strings.Cut(first[digits:], "."); has {
		s.decimals = len(fraction) - len(strings.TrimLeft(fraction, "0"))
	}
	if currency != "" && at < digits {
		s.before = currency
	} else {
		s.behind = currency
	}
	return s
}

// write returns a plain number as the style shows it, with no digit lost.
func (s numberStyle) write(number string) string {
	x, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil:
		return number
	case s.percent:
		const digits = 1e10
		return strconv.FormatFloat(math.Round(100*x*digits)/digits, 'f', -1, 64) + "%"
	case s.before == "" && s.behind == "":
		return number
	}
	if shown := strconv.FormatFloat(x, 'f', s.decimals, 64); s.decimals > 0 {
		if back, _ := strconv.ParseFloat(shown, 64); back == x {
			number = shown
		}
	}
	if s.before != "" {
		return s.before + number
	}
	return number + " " + s.behind
}
