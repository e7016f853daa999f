package catalogue

import (
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
