package catalogue

import (
	"slices"
	"strings"
	"time"
)

// dateLayouts are the layouts of dates that are recognised. The day comes first if both are possible.
func dateLayouts() []string {
	return []string{
		time.DateOnly, time.DateTime, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01", "2006/1/2",
		"2/1/2006", "1/2/2006", "2.1.2006", "2.1.06", "2/1/06", "1/2/06",
		"Jan 2 2006", "Jan 2, 2006", "January 2 2006", "January 2, 2006", "2 Jan 2006", "2 January 2006", "2-Jan-2006", "2-Jan-06",
	}
}

// DatesOf returns the format of texts that are all dates.
func DatesOf(texts []string) (*NumberFormat, bool) {
	for _, layout := range dateLayouts() {
		dates := 0
		wrong := slices.ContainsFunc(texts, func(text string) bool {
			if IsNoNumber(text) {
				return false
			}
			_, err := time.Parse(layout, text)
			dates++
			return err != nil
		})
		if !wrong && dates > 0 {
			return &NumberFormat{Date: layout}, true
		}
	}
	return nil, false
}

// days returns the number of days since 1970.
func (f *NumberFormat) days(text string) (float64, bool) {
	const day = 24 * 60 * 60 // seconds
	at, err := time.Parse(f.Date, text)
	return float64(at.Unix()) / day, err == nil
}

// MonthOf returns the year and the month of a date.
func (f *NumberFormat) MonthOf(date string) (month string, ok bool) {
	at, err := time.Parse(f.Date, date)
	return at.Format("2006-01"), err == nil
}

// order says whether days or months come first, if a date in numbers leaves that open.
func (f *NumberFormat) order() string {
	switch day, month := strings.Index(f.Date, "2"), strings.Index(f.Date, "1"); {
	case strings.HasPrefix(f.Date, "2006") || month < 0:
		return ""
	case day < month:
		return ", day before month"
	default:
		return ", month before day"
	}
}
