package encode

import (
	"fmt"
	"slices"
	"strings"

	"bestpick/internal/catalogue"
)

// LeftOutLines says in a few sentences what is left out, levels of a column together.
func (e *Encoding) LeftOutLines() []string {
	const most = 3
	var lines []string
	for i := 0; i < len(e.LeftOut); {
		one := e.LeftOut[i]
		column, alike := e.levelsFrom(i)
		if alike < 2 {
			lines = append(lines, one.String())
			i++
			continue
		}
		var by []string
		for _, d := range e.LeftOut[i : i+alike] {
			for _, name := range d.By {
				if !slices.Contains(by, name) {
					by = append(by, name)
				}
			}
		}
		lines = append(lines, fmt.Sprintf("%d levels of %s are determined by %s", alike, column, catalogue.Enumerate(by, maxNamed)))
		i += alike
	}
	if more := len(lines) - most; more > 1 {
		lines = append(lines[:most], fmt.Sprintf("%d more columns, or levels of them", more))
	}
	return lines
}

// levelsFrom returns the category of what is left out at a place, and how many of its levels are left
// out from there on.
func (e *Encoding) levelsFrom(at int) (column string, count int) {
	for _, c := range e.Columns {
		if c.Kind != catalogue.Category {
			continue
		}
		count := 0
		for _, d := range e.LeftOut[at:] {
			if d.Never || !strings.HasPrefix(d.Name, c.Column+"=") {
				break
			}
			count++
		}
		if count > 0 {
			return c.Column, count
		}
	}
	return "", 0
}
