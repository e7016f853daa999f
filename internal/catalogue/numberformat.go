package catalogue

import (
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
	const day = 24 * 60 * 60 // seconds
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
