package catalogue

import (
	"regexp"
	"slices"
	"strings"

	"bestpick/internal/table"
)

// FormatOf recognises how the numbers among some texts are written. It returns false unless most
// texts are numbers, with one currency or with units that can be converted. If nothing else tells, 1,234 has
// decimals where a comma is likely, and 1.234 has none where it is certain, because other columns have it.
func FormatOf(texts []string, likely, certain bool) (*NumberFormat, bool) {
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
	f := &NumberFormat{Unit: unit, Comma: s.commas > s.points}
	if s.commas == s.points {
		f.Comma = s.eitherComma > 0 && likely || s.eitherPoint > 0 && certain
	}
	f.Grouped = s.grouped || f.Comma && s.eitherPoint > 0 || !f.Comma && s.eitherComma > 0
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

// DatesOf returns the format of texts that are all dates.
func DatesOf(texts []string) (*NumberFormat, bool) {
	for _, layout := range dateLayouts() {
		dates := 0
		wrong := slices.ContainsFunc(texts, func(text string) bool {
			if IsNoNumber(text) {
				return false
			}
			_, is := days(layout, text)
			dates++
			return !is
		})
		if !wrong && dates > 0 {
			return &NumberFormat{Date: layout}, true
		}
	}
	return nil, false
}

// A numberSurvey counts how the numbers among some texts are written.
type numberSurvey struct {
	seen, numbers int
	grouped       bool
	units         map[string]int    // by canonical name
	spelled       map[string]string // as first written

	commas, points           int // numbers whose decimals are after a comma, after a point
	eitherComma, eitherPoint int // such as 1,234 and 1.234
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
		s.eitherComma++
	case commas == 1:
		s.commas++
	case points == 1 && threeAfter:
		s.eitherPoint++
	case points == 1:
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

var numberPattern = regexp.MustCompile(`^([+-]?)(` + currencies + `)?\s*([+-]?\d[\d,.'’ \x{a0}\x{202f}]*?)\s*(?:(` +
	currencies + `|` + unitNames + `)|\s(` + unitWord + `))?$`)

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
	const longest = len("unknown")
	if len(text) > longest {
		return false
	}
	switch strings.ToLower(text) {
	case "-", "–", "—", "?", "unknown", "none", "tbd", "n.a.":
		return true
	}
	return table.IsMissing(text)
}

// A unit is a factor of the basic unit of what it measures.
type unit struct {
	measures string
	factor   float64
}

// units returns the units that can be converted, by canonical name.
func units() map[string]unit {
	const kilo, mega, giga, tera = 1e3, 1e6, 1e9, 1e12
	const mass, length, volume, data, frequency, duration = "mass", "length", "volume", "data", "frequency", "duration"
	return map[string]unit{
		"mg": {mass, 1e-3}, "g": {mass, 1}, "kg": {mass, kilo}, "lb": {mass, 453.59237}, "oz": {mass, 28.349523125},
		"mm": {length, 1e-3}, "cm": {length, 1e-2}, "m": {length, 1}, "km": {length, kilo}, "in": {length, 0.0254},
		"ft": {length, 0.3048}, "mi": {length, 1609.344},
		"ml": {volume, 1e-3}, "cl": {volume, 1e-2}, "l": {volume, 1},
		"kb": {data, kilo}, "mb": {data, mega}, "gb": {data, giga}, "tb": {data, tera},
		"hz": {frequency, 1}, "khz": {frequency, kilo}, "mhz": {frequency, mega}, "ghz": {frequency, giga},
		"w": {"power", 1}, "kw": {"power", kilo}, "wh": {"energy", 1}, "kwh": {"energy", kilo}, "mah": {"charge", 1e-3},
		"ah": {"charge", 1},
		"ms": {duration, 1e-3}, "s": {duration, 1}, "min": {duration, 60}, "h": {duration, 3600},
	}
}

// canonicalUnit returns one name for the spellings of a unit or word: lb for lbs, door for doors.
func canonicalUnit(name string) string {
	const shortest = 3 // letters of a word that may have a plural
	name = strings.ToLower(name)
	switch name {
	case `"`, "″", "inch", "inches":
		return "in"
	case "lbs":
		return "lb"
	}
	if len(name) > shortest {
		return strings.TrimSuffix(name, "s")
	}
	return name
}

// conversion returns the factor from one unit to another. A number without a unit is in the other one.
func conversion(from, to string) (factor float64, ok bool) {
	from, to = canonicalUnit(from), canonicalUnit(to)
	if from == "" || from == to {
		return 1, true
	}
	a, known := units()[from]
	b := units()[to]
	return a.factor / b.factor, known && a.measures == b.measures
}
