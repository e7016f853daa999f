package catalogue

import (
	"math"
	"sort"
	"strconv"
	"strings"
	"time"

	"bestpick/internal/table"
)

// A NumberFormat says how people write the numbers of a column: with decimal commas, thousands
// separators, a currency, a unit, or as dates. A nil NumberFormat is that of plain decimals.
type NumberFormat struct {
	Comma   bool   `json:"comma,omitempty"`   // decimals take a comma
	Grouped bool   `json:"grouped,omitempty"` // some have thousands separators
	Unit    string `json:"unit,omitempty"`    // of numbers without one; others are converted to it

	// Date is the layout of dates, as in package time. A date is the number of days since 1970.
	Date string `json:"date,omitempty"`
}

// Parse parses a number.
func (f *NumberFormat) Parse(text string) (x float64, ok bool) {
	switch {
	case f == nil:
		return table.ParseNumber(text)
	case f.Date != "":
		return days(f.Date, text)
	case !f.Comma:
		if x, ok := table.ParseNumber(text); ok {
			return x, true
		}
	}
	parts, ok := splitNumber(text)
	if !ok {
		return 0, false
	}
	factor, ok := conversion(parts.unit, f.Unit)
	if !ok {
		return 0, false
	}
	x, ok = table.ParseNumber(f.plain(parts.number))
	return x * factor, ok
}

// MonthOf returns the year and the month of a date.
func (f *NumberFormat) MonthOf(date string) (month string, ok bool) {
	at, err := time.Parse(f.Date, date)
	return at.Format("2006-01"), err == nil
}

// plain returns a decimal without thousands separators and with a decimal point, or "".
func (f *NumberFormat) plain(number string) string {
	const group, short = 3, 2 // digits between separators; India writes 1,20,000
	mark := "."
	if f.Comma {
		mark = ","
	}
	whole, decimals, found := strings.Cut(number, mark)
	sign := whole[:len(whole)-len(strings.TrimLeft(whole, "+-"))]
	groups := strings.FieldsFunc(whole[len(sign):], isSeparator)
	for i := 1; i < len(groups); i++ {
		if n := len(groups[i]); n != group && (n != short || i == len(groups)-1) {
			return ""
		}
	}
	whole = sign + strings.Join(groups, "")
	if found {
		return whole + "." + decimals
	}
	return whole
}

// String says what is different from plain decimals: "in kg, decimal commas".
func (f *NumberFormat) String() string {
	if f == nil {
		return ""
	}
	var said []string
	if _, known := units()[canonicalUnit(f.Unit)]; known {
		said = append(said, "in "+f.Unit)
	} else if f.Unit != "" {
		said = append(said, f.Unit+" removed")
	}
	if f.Comma {
		said = append(said, "decimal commas")
	}
	if f.Grouped {
		said = append(said, "thousands separators removed")
	}
	if f.Date != "" {
		said = append(said, "dates, in days"+dayOrder(f.Date))
	}
	return strings.Join(said, ", ")
}

// dateLayouts are the layouts of dates that are recognised. The day comes first if both are possible.
func dateLayouts() []string {
	return []string{
		time.DateOnly, time.DateTime, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01", "2006/1/2",
		"2/1/2006", "1/2/2006", "2.1.2006", "2.1.06", "2/1/06", "1/2/06",
		"Jan 2 2006", "Jan 2, 2006", "January 2 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06",
	}
}

// days returns the number of days since 1970 of a date in a layout.
func days(layout, date string) (float64, bool) {
	const day, longest = 24 * 60 * 60, 40 // seconds, and bytes of a date
	if len(date) > longest {
		return 0, false
	}
	at, err := time.Parse(layout, date)
	return float64(at.Unix()) / day, err == nil
}

// dayOrder says whether days or months come first, if a layout in numbers leaves that open.
func dayOrder(layout string) string {
	switch day, month := strings.Index(layout, "2"), strings.Index(layout, "1"); {
	case strings.HasPrefix(layout, "2006") || month < 0:
		return ""
	case day < month:
		return ", day before month"
	default:
		return ", month before day"
	}
}

// writing is the notation of the numbers of a column in its file, so that they can be shown as written: 12.50, not 12.5. A byte
// each is enough for nearly all of them; the others are kept as texts. Without any forms, all are as short as possible.
type writing struct {
	forms []uint8
	odd   []oddText // in the order of rows
}

// An oddText is the text of a row in an unusual notation, such as +5 or 007.
type oddText struct {
	row  int32
	text string
}

// The forms of numbers. Others are the number of decimals.
const (
	singleForm = 253 // as short as possible for a number of 32 bits
	shortForm  = 254 // the same, for one of 64 bits
	oddForm    = 255
)

// add appends the notation of a number.
func (w *writing) add(text []byte, x float64) {
	form := formOf(text, x)
	if form == oddForm {
		w.odd = append(w.odd, oddText{int32(len(w.forms)), string(text)})
	}
	w.forms = append(w.forms, form)
}

// first returns the notation of the first numbers.
func (w *writing) first(n int) writing {
	if w.forms == nil {
		return writing{}
	}
	odd := sort.Search(len(w.odd), func(i int) bool { return int(w.odd[i].row) >= n })
	return writing{w.forms[:n:n], w.odd[:odd:odd]}
}

// text returns the number of a row as written.
func (w *writing) text(row int, x float64) string {
	form := uint8(shortForm)
	if w.forms != nil {
		form = w.forms[row]
	}
	switch {
	case form == oddForm:
		at := sort.Search(len(w.odd), func(i int) bool { return int(w.odd[i].row) >= row })
		return w.odd[at].text
	case math.IsNaN(x):
		return ""
	case form == singleForm:
		return Shortest(x, 32)
	case form == shortForm:
		return Shortest(x, 64)
	}
	return strconv.FormatFloat(x, 'f', int(form), 64)
}

// formOf returns the form of a number that is written as text.
func formOf(text []byte, x float64) uint8 {
	if y, decimals, plain := table.PlainDecimal(text); plain && y == x {
		return uint8(decimals)
	}
	if Shortest(x, 64) == string(text) {
		return shortForm
	}
	return oddForm
}

// Shortest returns the shortest text of a number with this many bits.
func Shortest(x float64, bits int) string {
	const large, small = 1e21, 1e-6 // beyond, zeros would be longer than an exponent
	format := byte('f')
	if size := max(x, -x); size >= large || size < small && size > 0 {
		format = 'e'
	}
	return strconv.FormatFloat(x, format, -1, bits)
}
