package read

import (
	"fmt"
	"regexp"
	"strings"

	"bestpick/internal/catalogue"
	"bestpick/internal/table"
)

// A dressing is what people write around numbers: a sign of a currency or its code, a percent
// sign, a unit, marks between thousands.
type dressing struct{ around *regexp.Regexp }

func newDressing() dressing {
	const (
		money  = `\p{Sc}|US\$|USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL`
		number = `\d[\d,.'’ \x{a0}\x{202f}]*`
		unit   = `%|‰|°C|°F|"|″|[kmµ]?g|lbs?|oz|[kcm]?m|in|ft|m?l|k?W|kWh|V|m?Ah|[MGT]B|[kMG]?Hz|MP|px|h|min|m?s`
		word   = `[^\s\d.,:/-][^\s\d]{0,7}` // behind a space
	)
	return dressing{regexp.MustCompile(`^([+-]?)(?:` + money + `)?\s*([+-]?` + number + `?)\s*(?:` + money + `|` + unit + `|\s` + word + `)?$`)}
}

// undress returns the number that a text has something around, and whether that is only marks
// between thousands.
func (d dressing) undress(text string) (plain string, marks, dressed bool) {
	const longest = 40
	if len(text) > longest || table.LooksNumeric(text) || !strings.ContainsAny(text, "0123456789") {
		return "", false, false
	}
	if plain, marks = table.Ungrouped(text); marks {
		return plain, true, true
	}
	parts := d.around.FindStringSubmatch(text)
	if parts == nil || isMonth(text) {
		return "", false, false
	}
	plain = parts[1] + strings.TrimSpace(parts[2])
	if whole, thousands, found := strings.Cut(plain, ","); found && len(thousands) == 3 {
		plain = whole + thousands // a comma for decimals rarely has just three behind it
	} else if ungrouped, grouped := table.Ungrouped(plain); grouped {
		plain = ungrouped
	} else {
		plain = strings.Replace(plain, ",", ".", 1)
	}
	_, dressed = table.ParseNumber(plain)
	return plain, false, dressed
}

// isMonth reports whether a text is the day of a month.
func isMonth(text string) bool {
	const months = "jan feb mar apr may jun jul aug sep oct nov dec"
	_, word, _ := strings.Cut(strings.ToLower(text), " ")
	return len(word) >= 3 && strings.Contains(months, word[:3])
}

// checkDressed notes that a column is of numbers with something around them, and leaves it out
// then. Otherwise its kind is the one given.
func (d *draft) checkDressed(c *catalogue.Column, kind catalogue.Kind) catalogue.Kind {
	problem := dressedNumbers(c)
	if problem == "" {
		return kind
	}
	d.problems.Add(d.Source, 0, c.Name, "%s", problem)
	return catalogue.Ignored
}

// dressedNumbers says that more than half of the values of a column are numbers, some of them
// with something around, if they are. The first values decide.
func dressedNumbers(c *catalogue.Column) string {
	const enough = 1 << 16
	dress := newDressing()
	var seen, numbers int
	problem := ""
	for _, text := range c.Texts[:min(len(c.Texts), enough)] {
		if table.IsMissing(text) {
			continue
		}
		seen++
		plain, marks, dressed := dress.undress(text)
		if dressed || table.LooksNumeric(text) {
			numbers++
		}
		if dressed && problem == "" {
			what := "something around it"
			if marks {
				what = "marks between thousands"
			}
			problem = fmt.Sprintf("%q looks like a number with %s; write %s, or --as %s=category", text, what, plain, c.Name)
		}
	}
	if !mostly(numbers, seen) {
		return ""
	}
	return problem
}
