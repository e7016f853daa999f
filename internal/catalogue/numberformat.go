package catalogue

import (
	"regexp"
	"strings"

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

// FormatOf recognises how the numbers among some texts are written. It returns false unless most
// texts are numbers, with one currency or with units that can be converted. comma says what 1,234
// means if nothing else does.
func FormatOf(texts []string, comma bool) (*NumberFormat, bool) {
	const sample = 1000
	var s numberSurvey
	for _, text := range texts {
		if IsNoNumber(text) {
			continue
		}
		s.add(text)
		if s.seen == sample && 2*s.numbers <= s.seen {
			break
		}
	}
	unit, one := s.unit()
	if 2*s.numbers <= s.seen || !one {
		return nil, false
	}
	f := &NumberFormat{Unit: unit, Grouped: s.grouped, Comma: s.commas > s.points}
	if s.commas == s.points && s.either > 0 {
		f.Comma = comma
		f.Grouped = f.Grouped || !comma
	}
	return f, f.fits(texts)
}

// fits reports whether most texts are numbers in the format.
func (f *NumberFormat) fits(texts []string) bool {
	fit, others := 0, 0
	for _, text := range texts {
		if _, ok := f.Parse(text); ok {
			fit++
		} else if !IsNoNumber(text) {
			others++
		}
	}
	return fit > others
}

// Parse parses a number.
func (f *NumberFormat) Parse(text string) (x float64, ok bool) {
	switch {
	case f == nil:
		return table.ParseNumber(text)
	case f.Date != "":
		return f.days(text)
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
		said = append(said, "dates, in days"+f.order())
	}
	return strings.Join(said, ", ")
}

// A numberSurvey counts how the numbers among some texts are written.
type numberSurvey struct {
	seen, numbers  int
	commas, points int // numbers whose decimals are after a comma, after a point
	either         int // such as 1,234
	grouped        bool
	units          map[string]int    // by canonical name
	spelled        map[string]string // as first written
}

func (s *numberSurvey) add(text string) {
	s.seen++
	parts, ok := splitNumber(text)
	if !ok {
		return
	}
	s.numbers++
	if s.units == nil {
		s.units, s.spelled = map[string]int{}, map[string]string{}
	}
	if name := canonicalUnit(parts.unit); name != "" {
		if s.units[name]++; s.units[name] == 1 {
			s.spelled[name] = parts.unit
		}
	}
	s.addMarks(parts.number)
}

// addMarks counts what the separators of a number are for.
func (s *numberSurvey) addMarks(number string) {
	commas, points := strings.Count(number, ","), strings.Count(number, ".")
	last := strings.LastIndexAny(number, ",.")
	threeAfter := last >= 0 && len(number)-last-1 == 3 && strings.TrimLeft(number[:last], "+-0") != ""
	switch {
	case commas > 0 && points > 0:
		s.grouped = true
		if number[last] == ',' {
			s.commas++
		} else {
			s.points++
		}
	case commas > 1:
		s.grouped = true
		s.points++
	case points > 1:
		s.grouped = true
		s.commas++
	case commas == 1 && threeAfter:
		s.either++
	case commas == 1:
		s.commas++
	case points == 1 && !threeAfter:
		s.points++
	}
	s.grouped = s.grouped || strings.ContainsFunc(number, func(c rune) bool { return isSeparator(c) && c != ',' && c != '.' })
}

// unit returns the most common unit. It returns false if others cannot be converted to it.
func (s *numberSurvey) unit() (unit string, one bool) {
	most := ""
	for name, count := range s.units {
		if count > s.units[most] || count == s.units[most] && name < most {
			most = name
		}
	}
	for name := range s.units {
		if _, ok := conversion(name, most); !ok {
			return "", false
		}
	}
	return s.spelled[most], true
}

// A numberText is the text of a number, split. The number may have separators.
type numberText struct{ number, unit string }

const (
	currencies = `\p{Sc}|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL`
	unitNames  = `%|‰|°C|°F|"|″|[kKmµ]?g|KG|lbs?|oz|[kcm]?m|CM|MM|KM|in|ft|mi|[cm]?l|mL|L|k?W|k?Wh|V|m?Ah|[kKMGT]B|[MGT]b|gb|[kMG]?Hz|MP|px|h|min|m?s`
	unitWord   = `[^\s\d.,:/-][^\s\d]{0,7}` // after a space
)

var numberPattern = regexp.MustCompile(`^([+-]?)(` + currencies + `)?\s*([+-]?\d[\d,.'’ \x{a0}\x{202f}]*?)\s*(?:(` + currencies + `|` + unitNames + `)|\s(` + unitWord + `))?$`)

// splitNumber splits a text with a number in it.
func splitNumber(text string) (parts numberText, ok bool) {
	const longest = 40
	if len(text) > longest || !strings.ContainsAny(text, "0123456789") {
		return numberText{}, false
	}
	if _, plain := table.ParseNumber(text); plain {
		return numberText{number: text}, true
	}
	found := numberPattern.FindStringSubmatch(text)
	if found == nil || isMonth(found[5]) || found[2] != "" && found[4]+found[5] != "" {
		return numberText{}, false
	}
	return numberText{found[1] + found[3], found[2] + found[4] + found[5]}, true
}

// isSeparator reports whether a character may separate thousands or decimals.
func isSeparator(c rune) bool { return strings.ContainsRune(",.'’ \u00a0\u202f", c) }

// isMonth reports whether a word starts with the name of a month.
func isMonth(word string) bool {
	const months = "jan feb mar apr may jun jul aug sep oct nov dec"
	return len(word) >= 3 && strings.Contains(months, strings.ToLower(word)[:3])
}

// IsNoNumber reports whether a value of a column of numbers says that there is none.
func IsNoNumber(text string) bool {
	switch strings.ToLower(text) {
	case "-", "–", "—", "?", "unknown", "none", "tbd", "n.a.":
		return true
	}
	return table.IsMissing(text)
}
