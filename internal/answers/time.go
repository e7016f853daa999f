package answers

import (
	"fmt"
	"time"
)

// timeLayout is RFC 3339 with microseconds, the precision of every store.
const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

// formatTime returns a time in UTC, or "" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// parseTime parses a time, or returns its problem. An empty text is the zero time.
func parseTime(text string) (t time.Time, problem string) {
	if text == "" {
		return time.Time{}, ""
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || !isWritable(t) {
		return time.Time{}, fmt.Sprintf("%q is not a time like 2026-01-31T12:00:00Z", text)
	}
	return exact(t), ""
}

// exact returns a time as files have it: in UTC, in microseconds.
func exact(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// isWritable reports whether the year of a time has four digits, as RFC 3339 requires.
func isWritable(t time.Time) bool {
	const last = 9999
	year := t.UTC().Year()
	return year >= 1 && year <= last
}
