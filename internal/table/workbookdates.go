package table

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// readStyles reads which styles show numbers as dates.
func (b *Book) readStyles(name string) error {
	dates := map[string]bool{}
	inCells := false
	return b.each(name, maxPartBytes, func(e element) error {
		switch {
		case e.name == "cellXfs":
			inCells = e.start
		case !e.start:
		case e.name == "numFmt":
			dates[e.attribute("numFmtId")] = isDateFormat(e.attribute("formatCode"))
		case e.name == "xf" && inCells:
			id := e.attribute("numFmtId")
			own, has := dates[id]
			b.dates = append(b.dates, has && own || !has && isBuiltInDate(id))
		}
		return nil
	})
}

// isBuiltInDate reports whether a format that needs no definition is one of dates or times: 14 to 22 and 45
// to 47 everywhere, 27 to 36 and 50 to 58 in East Asian editions.
func isBuiltInDate(id string) bool {
	n, err := strconv.Atoi(id)
	return err == nil && (n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58)
}

// isDateFormat reports whether a format has letters of dates or times outside of quotes, brackets and
// escapes. Elapsed hours ([h]:mm) are a number of days.
func isDateFormat(code string) bool {
	first, _, _ := strings.Cut(strings.ToLower(code), ";") // of positive numbers
	if strings.Contains(first, "[h") || strings.Contains(first, "[m") || strings.Contains(first, "[s") {
		return false
	}
	end := byte(0) // of what is skipped
	for i := 0; i < len(first); i++ {
		c := first[i]
		switch {
		case end != 0:
			if c == end {
				end = 0
			}
		case c == '"':
			end = '"'
		case c == '[':
			end = ']'
		case c == '\\' || c == '_' || c == '*':
			i++
		case strings.HasPrefix(first[i:], "general"):
			return false
		case strings.IndexByte("dmyhs", c) >= 0:
			return true
		}
	}
	return false
}

// date returns a number of days as text: a date, a time of day, or both.
func (b *Book) date(text string) string {
	const (
		secondsPerDay = 24 * 60 * 60
		leapDay       = 60        // 29 February 1900, which Excel counts though it never was
		maxDays       = 2_958_466 // from 1900 to the end of 9999
	)
	days, err := strconv.ParseFloat(text, 64)
	if err != nil || !(days >= 0 && days < maxDays) {
		return text
	}
	epoch := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	if b.epoch1904 {
		epoch = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	} else if days >= 1 && days < leapDay {
		epoch = epoch.AddDate(0, 0, 1)
	}
	whole, part := math.Modf(days)
	at := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*secondsPerDay)) * time.Second)
	switch {
	case part == 0:
		return at.Format(time.DateOnly)
	case whole == 0:
		return at.Format(time.TimeOnly)
	default:
		return at.Format("2006-01-02T15:04:05")
	}
}
