package catalogue

import "strings"

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
