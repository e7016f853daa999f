package catalogue

import (
	"slices"
	"strings"
	"time"
)

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
